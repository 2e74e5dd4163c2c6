import { escapeInvisible, quoteAsData } from "../../core/base/text.ts";

/** A test that the user has chosen, and its failure if that is known. */
export interface ChosenTest {
  /** The names of its suites and its own, from the outermost. */
  readonly names: readonly string[];
  /** Absent if it's in no file. */
  readonly file?: string;
  /** Counts from 1. */
  readonly line?: number;
  readonly failure?: string;
}

const MOST_NAME_CHARS = 300;
const MOST_CHARS = 8_000;

/** Writes the task to fix a test. Names and failures are texts of the repository, so they are quoted. */
export function writeTestTask({ names, file, line, failure = "" }: ChosenTest): string {
  const name = formatLine(names.join(" > "));
  const place = file === undefined ? "" : `\n${formatLine(file)}${line === undefined ? "" : `, line ${line}`}`;
  const task =
    "Fix the test that is named below. Run it first, find out why it fails, fix the cause, and run it again.";
  const blocks = [quoteText("@test:name", `${name}${place}`, "the test")];
  if (failure.trim() !== "") blocks.push(quoteText("@test:failure", failure, "the failed test"));
  return [task, ...blocks].join("\n\n");
}

/** Writes a question about text that the user has selected in a terminal. */
export function writeTerminalQuestion(text: string, terminal: string): string {
  const question = "Explain this output of a terminal: what it means, and what to do next. Change nothing.";
  return `${question}\n\n${quoteTerminalText(text, terminal)}`;
}

/** Quotes selected text of a terminal, as a mention of the terminal would. */
export function quoteTerminalText(text: string, terminal: string): string {
  const name = terminal.replace(/[\s@:]+/g, "-") || "selection";
  return quoteText(`@terminal:${formatLine(name)}`, text, "the terminal");
}

/** The end of a long text says most. */
function quoteText(mention: string, text: string, source: string): string {
  const cut = text.length > MOST_CHARS ? `[...]\n${text.slice(-MOST_CHARS)}` : text;
  return `${mention}:\n${quoteAsData(cut.trim(), source)}`;
}

function formatLine(text: string): string {
  return escapeInvisible(text.replace(/\s+/g, " ").trim()).slice(0, MOST_NAME_CHARS);
}
