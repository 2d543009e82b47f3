// Command lines for `jrun`, without the editor: what is run, as a list of words.

/** A flow of a file with its inputs. Without a name it is the file's own. */
export function runWords(
  command: readonly string[],
  file: string,
  flow?: string,
  inputs: Readonly<Record<string, string>> = {},
): string[] {
  const given = Object.entries(inputs).flatMap(([name, value]) => ["--input", `${name}=${value}`]);
  return [...command, "run", file, ...(flow === undefined ? [] : ["--flow", flow]), ...given];
}

/** The test blocks of a file, or those whose name contains a text. */
export function testWords(command: readonly string[], file: string, test?: string): string[] {
  return [...command, "test", file, ...(test === undefined ? [] : ["-k", test])];
}

/** The language server. */
export function serverWords(command: readonly string[]): [string, string[]] {
  const [program = "jrun", ...rest] = command;
  return [program, [...rest, "lsp"]];
}

/** `${workspaceFolder}` in a setting. */
export function resolved(command: readonly string[], folder: string | undefined): string[] {
  return command.map((word) => word.replaceAll("${workspaceFolder}", folder ?? "."));
}
