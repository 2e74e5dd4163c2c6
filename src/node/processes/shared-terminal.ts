import type { TerminalCommand } from "../../core/ports/terminals.ts";
import { cleanTerminalOutput } from "./outputs.ts";

/** The limits for stored commands of a terminal, and for characters of each output. */
const MOST_COMMANDS = 20;
const MOST_CHARS = 100_000;

/** A command whose output is arriving. */
interface Started {
  readonly key: object;
  readonly cwd: string;
  line: string;
  output: string;
  isCut: boolean;
  end?: { readonly code: number | undefined };
}

/** The latest commands of a terminal that the user shares. */
export class SharedTerminal {
  private started: readonly Started[] = [];

  /** The commands since it was shared, oldest first. */
  get commands(): readonly TerminalCommand[] {
    return this.started.map(({ line, cwd, output, isCut, end }) => ({
      line,
      cwd,
      state: end ? "ended" : "running",
      ...(end?.code === undefined ? {} : { code: end.code }),
      output: `${isCut ? "[The beginning isn't kept.]\n" : ""}${cleanTerminalOutput(output).trim()}`,
    }));
  }

  /** Begins a command. Returns a function that takes its output. */
  start(key: object, line: string, cwd: string): (chunk: string) => void {
    const one: Started = { key, line, cwd, output: "", isCut: false };
    this.started = [...this.started, one].slice(-MOST_COMMANDS);
    return (chunk) => {
      const all = one.output + chunk;
      one.isCut ||= all.length > MOST_CHARS;
      one.output = all.slice(-MOST_CHARS);
    };
  }

  /** Ends a command; its line may be known only now. */
  end(key: object, line: string, code: number | undefined): void {
    const one = this.started.find((started) => started.key === key);
    if (!one) return;
    if (line !== "") one.line = line;
    one.end = { code };
  }
}

const RUNNING = "The following command is currently executing in the terminal:\n";
const LAST = "The following is the last command run in the terminal:\n";

/** Parses VS Code's tool answer about the last command of a terminal; undefined if there is none. */
export function readLastCommand(answer: string): TerminalCommand | undefined {
  if (answer.startsWith(RUNNING)) {
    const [line = "", cwd = ""] = answer.slice(RUNNING.length).split("\nIt is running in the directory:\n");
    return { line, cwd, state: "running", output: "" };
  }
  if (!answer.startsWith(LAST)) return undefined;
  const [head = "", ...output] = answer.slice(LAST.length).split("\nIt has the following output:\n");
  const match = /^([\s\S]*?)(?:\nIt was run in the directory:\n(.*))?(?:\nIt exited with code: (-?\d+))?$/.exec(head);
  const [, line = "", cwd = "", code] = match ?? [];
  return {
    line,
    cwd,
    state: "ended",
    ...(code === undefined ? {} : { code: Number(code) }),
    output: output.join("\nIt has the following output:\n").trimEnd(),
  };
}

/** The terminals that the beginning of a mention may refer to: `@terminal`, or `@terminal:` with a part of a name. */
export function findMentionedTerminals(query: string, labels: readonly string[]): readonly string[] {
  const typed = query.toLowerCase();
  if (typed !== "" && "terminal:".startsWith(typed)) return labels;
  if (!typed.startsWith("terminal:")) return [];
  const name = typed.slice("terminal:".length);
  return labels.filter((label) => label.toLowerCase().includes(name));
}
