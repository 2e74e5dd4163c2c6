import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readFileText } from "../../disk/plain-file.ts";
import { createProgramWords, findNamedProgram } from "../../node/processes/programs.ts";
import {
  createSandboxEnvironment,
  mergeVariables,
  selectDefinedVariables,
} from "../../node/processes/shell-environment.ts";
import type { McpServerValues } from "../../schema/mcp-values.ts";
import { DisplayError, displayText, getErrorText } from "../../texts/display-text.ts";
import { type PluginChild, startChild } from "../process/plugin-child.ts";

/** A server's process as the client sees it: one message per line. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves once the system has accepted the line. */
  send(line: string): Promise<void>;
  /** Called with each line, once the listener is set. For a line that is too long, only its beginning and its length are passed. */
  listen(listener: ServerListener): void;
  /** The last text on its error output. */
  getLastWords(): string;
  /** Sets whether this program waits for it before ending itself. */
  hold(isHeld: boolean): void;
  /** Ends all its processes. Nothing that the user waits for may depend on this. */
  end(): Promise<void>;
}

interface ServerListener {
  handleLine(text: string): void;
  /** Called for a message that is too long to read. */
  handleLongLine(head: string, chars: number): void;
  handleEnd(why: string): void;
}

/** Longer messages are discarded without reading. */
export const LONGEST_MESSAGE = 24_000_000;
/** How much of such a message is kept, to find out which request it answers. */
const KEPT_HEAD = 4_000;
const LAST_WORDS = 600;
/** How long a server has to end by itself. */
const GRACE_MS = 300;

/** Starts a server's program. Throws a sentence if that's impossible. */
export async function startServer(
  id: string,
  { command = "", args = [], cwd, env = {}, envFile }: McpServerValues,
  folder: string,
): Promise<ServerProcess> {
  const place = resolve(folder, cwd ?? ".");
  const added = envFile === undefined ? {} : await loadVariables(resolve(folder, envFile), id);
  const whole = mergeVariables(selectServerVariables(), mergeVariables(added, env));
  const program = findNamedProgram(command, { cwd: place, env: whole });
  if (program === undefined) throw new DisplayError(displayText("mcp.noProgram", { name: id, command }));
  const words = createProgramWords(program, args);
  if (words === undefined) throw new DisplayError(displayText("mcp.notQuotable", { name: id, program }));
  const start = { ...words, cwd: place, env: whole, isUnlimited: true } as const;
  const child = await startChild(start).catch((error: unknown) => {
    throw new DisplayError(displayText("mcp.notStarted", { name: id, why: getErrorText(error) }));
  });
  return new NodeServerProcess(child);
}

/** The variables of this program that servers get. They run outside of sandboxes, which have temporary folders of their own. */
function selectServerVariables(): Record<string, string> {
  const { TMPDIR } = process.env;
  return selectDefinedVariables({ TMPDIR, ...createSandboxEnvironment(process.env, (text) => text) });
}

const MOST_VARIABLES_BYTES = 1_000_000;

async function loadVariables(file: string, id: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFileText(file, MOST_VARIABLES_BYTES).catch((error: unknown) => {
    throw new DisplayError(displayText("mcp.noVariablesFile", { name: id, file, why: getErrorText(error) }));
  });
  const rows = [...text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$/gm)];
  return Object.fromEntries(
    rows.map(([, name = "", value = ""]) => [name, value.trim().replace(/^(["'])(.*)\1$/, "$2")]),
  );
}

class NodeServerProcess implements ServerProcess {
  readonly pid: number;
  private readonly child: PluginChild;
  private listener: ServerListener | undefined;
  /** The pieces of an incomplete line. */
  private pieces: string[] = [];
  private chars = 0;
  private words = "";
  private how: string | undefined;

  constructor(child: PluginChild) {
    this.child = child;
    this.pid = child.pid;
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => this.read(chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.words = (this.words + chunk).slice(-LAST_WORDS);
    });
    void child.exited.then(({ how }) => this.handleExit(how));
  }

  send(line: string): Promise<void> {
    if (this.how !== undefined) return Promise.reject(new Error(`it ${this.how}`));
    return new Promise((done, fail) => {
      this.child.stdin.write(`${line}\n`, (error) => (error ? fail(error) : done()));
    });
  }

  listen(listener: ServerListener): void {
    this.listener = listener;
    if (this.how !== undefined) listener.handleEnd(this.how);
  }

  getLastWords(): string {
    return this.words.trim();
  }

  hold(isHeld: boolean): void {
    this.child.hold(isHeld);
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    await Promise.race([this.child.exited, wait(GRACE_MS, undefined, { ref: false })]);
    this.handleExit("was closed");
    await this.child.end();
  }

  private handleExit(how: string): void {
    if (this.how !== undefined) return;
    this.how = how;
    this.listener?.handleEnd(how);
  }

  private read(chunk: string): void {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
      this.keep(chunk.slice(from, end));
      this.complete();
      from = end + 1;
    }
    this.keep(chunk.slice(from));
  }

  private keep(piece: string): void {
    if (piece === "") return;
    this.chars += piece.length;
    if (this.chars <= LONGEST_MESSAGE) this.pieces.push(piece);
    else if (this.pieces.length > 1) this.pieces = [this.pieces.join("").slice(0, KEPT_HEAD)];
  }

  private complete(): void {
    const { chars, pieces } = this;
    this.pieces = [];
    this.chars = 0;
    if (chars > LONGEST_MESSAGE) this.listener?.handleLongLine(pieces.join("").slice(0, KEPT_HEAD), chars);
    else if (chars > 0) this.listener?.handleLine(pieces.join(""));
  }
}
