import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { resolved, runWords, serverWords, testWords } from "./commands";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("judgeflow.run", run),
    vscode.commands.registerCommand("judgeflow.test", (uri?: string, test?: string) =>
      inTask("Test", uri, test, (command, file) => testWords(command, file, test)),
    ),
    vscode.commands.registerCommand("judgeflow.showReferences", showReferences),
    vscode.commands.registerCommand("judgeflow.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("judgeflow.command")) void restart();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(): Promise<void> {
  await client?.stop();
  await start();
}

async function start(): Promise<void> {
  const [command, args] = serverWords(commandOf(vscode.workspace.workspaceFolders?.[0]));
  const server: ServerOptions = { command, args };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "judge" },
      { scheme: "untitled", language: "judge" },
    ],
  };
  client = new LanguageClient("judgeflow", "judgeflow", server, options);
  try {
    await client.start();
  } catch {
    const settings = "Open Settings";
    const chosen = await vscode.window.showErrorMessage(
      `\`${command}\` could not be started: install it with \`pip install judgeflow\`, or say where it is.`,
      settings,
    );
    if (chosen === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "judgeflow.command");
    }
  }
}

function commandOf(folder: vscode.WorkspaceFolder | undefined): string[] {
  const command = vscode.workspace.getConfiguration("judgeflow", folder).get<string[]>("command", ["jrun"]);
  return resolved(command, folder?.uri.fsPath);
}

/** A parameter that a flow needs; all but a text is given as JSON. */
interface Input {
  name: string;
  shape: string;
}

/** Asks for what the flow needs, then runs it. Leaving a question ends it. */
async function run(uri?: string, flow?: string, needed: readonly Input[] = []): Promise<void> {
  const inputs: Record<string, string> = {};
  for (const { name, shape } of needed) {
    const prompt = shape.startsWith("text") ? name : `${name}: ${shape}, as JSON`;
    const value = await vscode.window.showInputBox({ title: `Run ${flow}`, prompt, ignoreFocusOut: true });
    if (value === undefined) return;
    inputs[name] = value;
  }
  await inTask("Run", uri, flow, (command, file) => runWords(command, file, flow, inputs));
}

type Words = (command: readonly string[], file: string) => string[];

/** Runs `jrun` as a task, so that its output, its end and its colours are the terminal's. */
async function inTask(verb: string, uri: string | undefined, name: string | undefined, words: Words): Promise<void> {
  const target = uri === undefined ? vscode.window.activeTextEditor?.document.uri : vscode.Uri.parse(uri);
  if (target === undefined || target.scheme !== "file") {
    void vscode.window.showInformationMessage("Save the file first: `jrun` reads it from disk.");
    return;
  }
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage("A workspace that is not trusted is read, and nothing in it is run.");
    return;
  }
  await vscode.workspace.textDocuments.find((document) => document.uri.toString() === target.toString())?.save();
  const folder = vscode.workspace.getWorkspaceFolder(target);
  const [program = "jrun", ...args] = words(commandOf(folder), target.fsPath);
  const task = new vscode.Task(
    { type: "judgeflow", verb, name },
    folder ?? vscode.TaskScope.Workspace,
    `${verb} ${name ?? vscode.workspace.asRelativePath(target)}`,
    "judgeflow",
    new vscode.ShellExecution({ value: program, quoting: vscode.ShellQuoting.Strong }, quoted(args)),
  );
  task.presentationOptions = { clear: true, panel: vscode.TaskPanelKind.Dedicated };
  await vscode.tasks.executeTask(task);
}

function quoted(words: readonly string[]): vscode.ShellQuotedString[] {
  return words.map((value) => ({ value, quoting: vscode.ShellQuoting.Strong }));
}

/** The lens "N agents use this judge": the references of the name that it stands above. */
async function showReferences(uri: string, at: { line: number; character: number }): Promise<void> {
  const target = vscode.Uri.parse(uri);
  const place = new vscode.Position(at.line, at.character);
  const provider = "vscode.executeReferenceProvider";
  const found = await vscode.commands.executeCommand<vscode.Location[]>(provider, target, place);
  const users = found.filter((one) => one.uri.toString() !== uri || !one.range.contains(place));
  await vscode.commands.executeCommand("editor.action.showReferences", target, place, users);
}
