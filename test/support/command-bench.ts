import { join } from "node:path";
import { type CommandDependencies, createAllCommands } from "../../src/commands/all.ts";
import { isPrepared, type PreparedCall, type Preview } from "../../src/core/commands/command.ts";
import { type CommandSet, createCommandSet } from "../../src/core/commands/command-set.ts";
import type { Outcome } from "../../src/core/commands/outcome.ts";
import { createNodeNotebooks } from "../../src/node/documents/notebooks.ts";
import { createNodeOutputs } from "../../src/node/processes/outputs.ts";
import { createNodeShell } from "../../src/node/processes/shell.ts";
import { createNodeWorkspace } from "../../src/node/workspace.ts";
import type { AgentEventBody } from "../../src/schema/events.ts";
import type { ChangedFile } from "../../src/schema/run-values.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";
import { fakeServices } from "./fake-services.ts";

const DOCUMENT_WORKER = new URL("../../src/node/documents/document-worker.ts", import.meta.url);

/** What came of a call, and what was shown before. */
export interface Tried {
  readonly preview?: Preview;
  readonly outcome: Outcome;
}

interface ShownOutcome {
  readonly summary: string;
  readonly files?: readonly ChangedFile[];
}

/** An outcome without what only people read. */
export function forModel(outcome: Outcome): Outcome {
  if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
  const { summary: _summary, ...rest } = outcome;
  if (rest.status === "failed") return rest;
  const { files: _files, ...plain } = rest;
  return plain;
}

/** All commands over a real folder, to be called as a model would. */
export class CommandBench {
  readonly commands: CommandSet;
  readonly recorded: AgentEventBody[] = [];
  private step = 0;
  private readonly signal = new AbortController().signal;

  /** `workspace` is the folder to work in; outputs go to `outputs`. */
  constructor(workspace: string, outputs: string, parts: Partial<CommandDependencies> = {}) {
    const files = parts.workspace ?? createNodeWorkspace({ folders: [{ name: "project", path: workspace }] });
    this.commands = createCommandSet(
      createAllCommands({
        workspace: files,
        notebooks: createNodeNotebooks({ workspace: files, worker: DOCUMENT_WORKER }),
        shell: createNodeShell({ outputFolder: join(outputs, "outputs") }),
        outputs: createNodeOutputs(join(outputs, "outputs")),
        user: { ask: async (question) => `You asked: ${question}` },
        memory: {
          search: async () => [],
          add: async () => undefined,
          prepareNoteFile: async (text) => ({ path: ".autogpt/notes/note.md", contents: text }),
        },
        services: fakeServices(),
        ...parts,
      }),
    );
  }

  /** Checks a call. An outcome is as the model gets it. */
  async prepare(name: string, args: object): Promise<PreparedCall | Outcome> {
    const prepared = await this.check(name, args);
    return isPrepared(prepared) ? prepared : forModel(prepared);
  }

  private check(name: string, args: object): Promise<PreparedCall | Outcome> {
    this.step += 1;
    return this.commands.prepare({ name, args: { ...args } }, { step: this.step, signal: this.signal });
  }

  /** Checks a call and makes it, as a user does who accepts whatever is shown, or `accepted` in its place. */
  async try(name: string, args: object, accepted?: string): Promise<Tried> {
    const prepared = await this.prepare(name, args);
    if (!isPrepared(prepared)) return { outcome: prepared };
    return { preview: prepared.preview, outcome: await this.run(prepared, accepted) };
  }

  /** The outcome alone. */
  async call(name: string, args: object, accepted?: string): Promise<Outcome> {
    return (await this.try(name, args, accepted)).outcome;
  }

  /** What people read of the outcome of a call: its summary in English, and the changed files. */
  async shown(name: string, args: object, accepted?: string): Promise<ShownOutcome> {
    const prepared = await this.check(name, args);
    const outcome = isPrepared(prepared) ? await this.runWhole(prepared, accepted) : prepared;
    if (outcome.status !== "done" && outcome.status !== "failed") return { summary: "" };
    const { summary } = outcome;
    const files = outcome.status === "done" && outcome.files ? { files: outcome.files } : {};
    return { summary: summary ? writeInEnglish(summary) : "", ...files };
  }

  /** Makes a checked call; the outcome is as the model gets it. */
  async run(prepared: PreparedCall, accepted?: string): Promise<Outcome> {
    return forModel(await this.runWhole(prepared, accepted));
  }

  private runWhole(prepared: PreparedCall, accepted?: string): Promise<Outcome> {
    return this.commands.run(prepared, {
      step: this.step,
      signal: this.signal,
      ...(accepted === undefined ? {} : { accepted }),
      output: () => undefined,
      record: async (event) => void this.recorded.push(event),
    });
  }
}
