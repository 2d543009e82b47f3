// Colours without a parser: words, texts, numbers and comments. What is right and wrong the server says.
import { StreamLanguage } from "@codemirror/language";

const WORDS = new Set(
  `return stop if then else switch case uncertain parallel loop until race best each every some for try approve
   require let expect given replies decides returns and or not in is contains starts ends matches with`.split(/\s+/),
);
const TYPES = new Set(["text", "int", "float", "bool", "json"]);

function inText(stream, state) {
  const end = state.block ? '"""' : '"';
  while (!stream.eol()) {
    if (stream.match("{{", false)) {
      if (stream.pos > stream.start) return "string";
      stream.match(/^\{\{.*?(\}\}|$)/);
      return "string.special";
    }
    if (stream.match(end)) {
      state.text = false;
      return "string";
    }
    stream.next();
    if (stream.string[stream.pos - 1] === "\\") stream.next();
  }
  if (!state.block) state.text = false;
  return "string";
}

export const judge = StreamLanguage.define({
  name: "judge",
  startState: () => ({ text: false, block: false }),
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
  indent(state, textAfter, context) {
    if (state.text) return null;
    const line = context.lineAt(context.pos, -1);
    const before = line.text.replace(/#[^"]*$/, "").trimEnd();
    const deeper = /[{([]$/.test(before) ? context.unit : 0;
    const closes = /^\s*[}\])]/.test(textAfter) ? context.unit : 0;
    return Math.max(0, context.lineIndent(line.from) + deeper - closes);
  },
  token(stream, state) {
    if (state.text) return inText(stream, state);
    if (stream.sol() && stream.match(/^(code\s+judge|[a-z]+)\b/)) return "keyword";
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^r"[^"]*"/)) return "string";
    if (stream.match('"""')) {
      Object.assign(state, { text: true, block: true });
      return "string";
    }
    if (stream.match('"')) {
      Object.assign(state, { text: true, block: false });
      return "string";
    }
    if (stream.match(/^\$?[0-9][0-9_]*(\.[0-9]+)?(ms|[smhd])?/)) return "number";
    const word = stream.match(/^[A-Za-z_][A-Za-z0-9_]*/);
    if (!word) {
      stream.next();
      return null;
    }
    if (TYPES.has(word[0]) || /^[A-Z]/.test(word[0])) return "typeName";
    return WORDS.has(word[0]) ? "keyword" : null;
  },
});
