// Diagnostics with the server's quick fixes as buttons, which the client's own diagnostics do not have.
import { setDiagnostics } from "@codemirror/lint";
import { LSPPlugin } from "@codemirror/lsp-client";
import { ViewPlugin } from "@codemirror/view";

const SEVERITIES = { 1: "error", 2: "warning", 3: "info", 4: "hint" };

const PAUSE = 50;

/** Sends what was typed once the keys pause for some milliseconds: the answer comes within a frame. */
const sending = ViewPlugin.fromClass(
  class {
    update(update) {
      if (!update.docChanged) return;
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => LSPPlugin.get(update.view)?.client.sync(), PAUSE);
    }
    destroy() {
      clearTimeout(this.waiting);
    }
  },
);

export function fixableDiagnostics() {
  return {
    editorExtension: sending,
    clientCapabilities: {
      textDocument: {
        publishDiagnostics: { versionSupport: true },
        codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
      },
    },
    notificationHandlers: {
      "textDocument/publishDiagnostics": (client, params) => {
        const view = client.workspace.getFile(params.uri)?.getView();
        const plugin = view && LSPPlugin.get(view);
        if (!plugin) return false;
        void show(client, view, plugin, params);
        return true;
      },
    },
  };
}

async function show(client, view, plugin, { uri, version, diagnostics }) {
  const fixes = diagnostics.length ? await quickFixes(client, uri, diagnostics) : [];
  const file = client.workspace.getFile(uri);
  // An answer about a text that is no more: the next one is on its way.
  if (version != null && file?.version !== version) return;
  const place = (position) => plugin.unsyncedChanges.mapPos(plugin.fromPosition(position, plugin.syncedDoc));
  view.dispatch(
    setDiagnostics(
      view.state,
      diagnostics.map((found) => ({
        from: place(found.range.start),
        to: place(found.range.end),
        severity: SEVERITIES[found.severity ?? 1],
        source: found.code,
        message: found.message,
        actions: fixes.filter((fix) => fixesThis(fix, found)).map((fix) => button(fix, uri)),
      })),
    ),
  );
}

async function quickFixes(client, uri, diagnostics) {
  const start = { line: 0, character: 0 };
  const end = { line: 2 ** 31 - 1, character: 0 };
  const context = { diagnostics, only: ["quickfix"] };
  const asked = { textDocument: { uri }, range: { start, end }, context };
  return (await client.request("textDocument/codeAction", asked).catch(() => null)) ?? [];
}

function fixesThis(fix, found) {
  return fix.diagnostics?.some(
    (one) => one.code === found.code && JSON.stringify(one.range) === JSON.stringify(found.range),
  );
}

function button(fix, uri) {
  return {
    name: fix.title,
    apply(view) {
      const plugin = LSPPlugin.get(view);
      const changes = (fix.edit.changes?.[uri] ?? []).map((edit) => ({
        from: plugin.fromPosition(edit.range.start),
        to: plugin.fromPosition(edit.range.end),
        insert: edit.newText,
      }));
      view.dispatch({ changes, userEvent: "input.fix" });
    },
  };
}
