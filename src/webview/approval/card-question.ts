import { isPlain } from "../../core/base/text.ts";
import { createCallTitle } from "../../core/commands/call-title.ts";
import type { Card } from "../../schema/panel-values.ts";
import { splitTextParts, write } from "../../texts/language.ts";

/** Writes a text with its parameters drawn by `show`. */
type Question = (show: (value: string) => unknown) => readonly unknown[];

/** The question that a card asks, in parts: what the command would do, as a verb with its object. */
export function renderCardQuestion(card: Card, show: (value: string) => unknown): readonly unknown[] {
  // A tool of another extension may be named like a member of every object.
  const own = Object.hasOwn(QUESTIONS, card.command) ? QUESTIONS[card.command] : undefined;
  return (createChangeQuestion(card) ?? own?.(card) ?? createOtherQuestion(card))(show);
}

/** Asks by the command's title, or by its name where a heading can't show the title as it is. */
function createOtherQuestion({ command, args }: Card): Question {
  const { before } = createCallTitle({ name: command, args: args ?? {} });
  const isShown = (value: unknown): boolean => typeof value === "string" && isPlain(value);
  if (before.code === "timeline.toUseTool" || !Object.values(before.parameters ?? {}).every(isShown))
    return (show) => splitTextParts("approval.other", { command: show(command) });
  return () => splitTextParts("approval.otherAction", { action: write(before) });
}

/** A change of one file that has its diff. */
function createChangeQuestion({ file, isNew }: Card): Question | undefined {
  if (file === undefined) return undefined;
  return (show) => splitTextParts(isNew ? "approval.createFile" : "approval.editFile", { file: show(file) });
}

/** The text of an argument, if a heading can show it just as it is. */
function findShownArgument({ args }: Card, name: string): string | undefined {
  const value = args?.[name];
  return typeof value === "string" && isPlain(value) ? value : undefined;
}

type Ask = (card: Card) => Question | undefined;

function askAboutArgument(name: string, ask: (value: unknown) => readonly unknown[]): Ask {
  return (card) => {
    const value = findShownArgument(card, name);
    return value === undefined ? undefined : (show) => ask(show(value));
  };
}

const QUESTIONS: Readonly<Record<string, Ask>> = {
  delete_file: askAboutArgument("filename", (file) => splitTextParts("approval.deleteFile", { file })),
  create_folder: askAboutArgument("folder", (folder) => splitTextParts("approval.createFolder", { folder })),
  move_file: (card) => {
    const [source, destination] = [findShownArgument(card, "source"), findShownArgument(card, "destination")];
    if (source === undefined || destination === undefined) return undefined;
    return (show) =>
      splitTextParts("approval.moveFile", { source: show(source), destination: show(destination) });
  },
  execute_shell: () => () => splitTextParts("approval.runLine"),
  execute_shell_popen: () => () => splitTextParts("approval.startProgram"),
  execute_python_code: () => () => splitTextParts("approval.runPython"),
  execute_python_file: askAboutArgument("filename", (file) => splitTextParts("approval.runFile", { file })),
  run_tests: () => () => splitTextParts("approval.runTests"),
  run_task: () => () => splitTextParts("approval.runTask"),
  run_cell: () => () => splitTextParts("approval.runCell"),
  browse_website: askAboutArgument("url", (address) => splitTextParts("approval.openPage", { address })),
  get_hyperlinks: askAboutArgument("url", (address) => splitTextParts("approval.openPage", { address })),
  call_api: askAboutArgument("url", (address) => splitTextParts("approval.callApi", { address })),
  web_search: askAboutArgument("query", (query) => splitTextParts("approval.searchWeb", { query })),
  download_file: askAboutArgument("url", (address) => splitTextParts("approval.download", { address })),
  clone_repository: askAboutArgument("url", (address) => splitTextParts("approval.clone", { address })),
  generate_image: () => () => splitTextParts("approval.generateImage"),
  send_tweet: () => () => splitTextParts("approval.post"),
  read_file: askAboutArgument("filename", (file) => splitTextParts("approval.read", { file })),
};
