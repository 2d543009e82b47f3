// A page that edits one file: CodeMirror, its language server client, and `jrun lsp` behind a web socket.
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter } from "@codemirror/lint";
import { LSPClient, languageServerExtensions } from "@codemirror/lsp-client";
import { tags } from "@lezer/highlight";
import { EditorView, basicSetup } from "codemirror";
import { fixableDiagnostics } from "./diagnostics.js";
import { judge } from "./highlight.js";

const URI = "file:///browser/main.judge";
const TEXT = `\
model small "openai/gpt-6-mini" { price $0.25 in, $2.00 out }

code judge short { require len(reply) < 400 else "Shorter." }

agent writer {
  model  small
  prompt "Write one sentence about the task."
  judges [short]
}

flow main(task: text) -> text {
  return writer(task)
}
`;

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "#7a2d9c" },
  { tag: tags.string, color: "#9b3a1f" },
  { tag: tags.comment, color: "#777" },
  { tag: tags.number, color: "#0a6e5c" },
  { tag: tags.typeName, color: "#1f6f8b" },
  { tag: tags.special(tags.string), color: "#0b5394" },
]);

const state = document.querySelector("#state");

function transport(address) {
  const handlers = new Set();
  const socket = new WebSocket(address);
  socket.onmessage = (event) => handlers.forEach((handler) => handler(event.data));
  socket.onclose = () => {
    state.textContent = "the language server has ended: reload the page to start it again";
  };
  return new Promise((done, failed) => {
    socket.onerror = () => failed(new Error("the language server cannot be reached"));
    socket.onopen = () =>
      done({
        send: (message) => socket.send(message),
        subscribe: (handler) => handlers.add(handler),
        unsubscribe: (handler) => handlers.delete(handler),
      });
  });
}

const client = new LSPClient({
  // The list without the diagnostics that show no fixes.
  extensions: [...languageServerExtensions().filter((one) => !isDiagnostics(one)), fixableDiagnostics()],
  timeout: 5000,
});

function isDiagnostics(extension) {
  return "textDocument/publishDiagnostics" in (extension.notificationHandlers ?? {});
}

const view = new EditorView({
  doc: TEXT,
  extensions: [
    basicSetup,
    judge,
    syntaxHighlighting(COLOURS),
    indentUnit.of("  "),
    lintGutter(),
    EditorView.lineWrapping,
    client.plugin(URI, "judge"),
  ],
  parent: document.querySelector("#editor"),
});
view.focus();

try {
  client.connect(await transport(`ws://${location.host}/lsp`));
  await client.initializing;
  state.textContent = "connected";
} catch (problem) {
  state.textContent = String(problem.message ?? problem);
}
