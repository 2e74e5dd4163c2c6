import { isPlain } from "../../core/base/text.ts";
import { callTitle } from "../../core/commands/call-title.ts";
import type { Card } from "../../schema/panel-values.ts";
import { textParts, write } from "../../texts/language.ts";

/** Writes a text with its parameters drawn by `show`. */
type Question = (show: (value: string) => unknown) => readonly unknown[];

/** The question that a card asks, in parts: what the command would do, as a verb with its object. */
export function cardQuestion(card: Card, show: (value: string) => unknown): readonly unknown[] {
  // A tool of another extension may be named like a member of every object.
  const own = Object.hasOwn(QUESTIONS, card.command) ? QUESTIONS[card.command] : undefined;
  return (changeQuestion(card) ?? own?.(card) ?? otherQuestion(card))(show);
}

/** Asks by the command's title, or by its name where a heading can't show the title as it is. */
function otherQuestion({ command, args }: Card): Question {
  const { before } = callTitle({ name: command, args: args ?? {} });
  const isShown = (value: unknown): boolean => typeof value === "string" && isPlain(value);
  if (before.code === "timeline.toUseTool" || !Object.values(before.parameters ?? {}).every(isShown))
    return (show) => textParts("approval.other", { command: show(command) });
  return () => textParts("approval.otherAction", { action: write(before) });
}

/** A change of one file that has its diff. */
function changeQuestion({ file, isNew }: Card): Question | undefined {
  if (file === undefined) return undefined;
  return (show) => textParts(isNew ? "approval.createFile" : "approval.editFile", { file: show(file) });
}

/** The text of an argument, if a heading can show it just as it is. */
function argument({ args }: Card, name: string): string | undefined {
  const value = args?.[name];
  return typeof value === "string" && isPlain(value) ? value : undefined;
}

type Ask = (card: Card) => Question | undefined;

function about(name: string, ask: (value: unknown) => readonly unknown[]): Ask {
  return (card) => {
    const value = argument(card, name);
    return value === undefined ? undefined : (show) => ask(show(value));
  };
}

const QUESTIONS: Readonly<Record<string, Ask>> = {
  delete_file: about("filename", (file) => textParts("approval.deleteFile", { file })),
  create_folder: about("folder", (folder) => textParts("approval.createFolder", { folder })),
  move_file: (card) => {
    const [source, destination] = [argument(card, "source"), argument(card, "destination")];
    if (source === undefined || destination === undefined) return undefined;
    return (show) => textParts("approval.moveFile", { source: show(source), destination: show(destination) });
  },
  execute_shell: () => () => textParts("approval.runLine"),
  execute_shell_popen: () => () => textParts("approval.startProgram"),
  execute_python_code: () => () => textParts("approval.runPython"),
  execute_python_file: about("filename", (file) => textParts("approval.runFile", { file })),
  run_tests: () => () => textParts("approval.runTests"),
  run_task: () => () => textParts("approval.runTask"),
  run_cell: () => () => textParts("approval.runCell"),
  browse_website: about("url", (address) => textParts("approval.openPage", { address })),
  get_hyperlinks: about("url", (address) => textParts("approval.openPage", { address })),
  call_api: about("url", (address) => textParts("approval.callApi", { address })),
  web_search: about("query", (query) => textParts("approval.searchWeb", { query })),
  download_file: about("url", (address) => textParts("approval.download", { address })),
  clone_repository: about("url", (address) => textParts("approval.clone", { address })),
  generate_image: () => () => textParts("approval.generateImage"),
  send_tweet: () => () => textParts("approval.post"),
  read_file: about("filename", (file) => textParts("approval.read", { file })),
};
