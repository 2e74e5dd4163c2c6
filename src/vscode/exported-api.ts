import * as vscode from "vscode";
import { type Command, isPrepared } from "../core/command.ts";
import { completeProfile } from "../core/profile.ts";
import type { AutoGptApi, RunHandle } from "./api.ts";
import type { HostedRun, HostedRuns, RunEvent } from "./hosted-runs.ts";
import type { Library } from "./library.ts";
import type { Starter } from "./starter.ts";
import type { StoredRuns } from "./stored-runs.ts";
import { conflictText, undoIn } from "./undo.ts";

/** What the API is made of. */
export interface ApiParts {
  readonly runs: HostedRuns;
  readonly starter: Starter;
  readonly library: Library;
  readonly stored: StoredRuns;
  readonly extraCommands: Set<Command>;
}

/** The API for other extensions. */
export function exportedApi({ runs, starter, library, stored, extraCommands }: ApiParts): AutoGptApi {
  return {
    version: 1,
    onEvent: (listener: (event: RunEvent) => unknown, self?: unknown, disposables?: vscode.Disposable[]) =>
      runs.onEvent(listener, self, disposables),
    async startRun({ task, profile, folder, approval, maxSteps, model }) {
      if (task.trim() === "")
        throw new Error("A run needs a task. Say in a sentence what the agent shall do.");
      const hosted = await starter.start({
        task,
        profile: completeProfile(task, profile),
        ...(folder ? { folder } : {}),
        ...(approval ? { mode: approval } : {}),
        ...(maxSteps ? { maxSteps } : {}),
        ...(model ? { models: { smart: model, fast: model } } : {}),
      });
      return handleOf(hosted);
    },
    runs: () => library.list(),
    openRun: async (id) => handleOf(await stored.open(id)),
    registerCommand(command) {
      if (!/^[\w-]{1,64}$/.test(command.name))
        throw new Error("A command's name is made of letters, digits, _ and -, 64 of them at most.");
      const foreign = asForeign(command);
      extraCommands.add(foreign);
      return new vscode.Disposable(() => extraCommands.delete(foreign));
    },
  };
}

function handleOf(hosted: HostedRun): RunHandle {
  const live = () => {
    if (!hosted.live) throw new Error(hosted.readOnly ?? "This run can only be read.");
    return hosted.live;
  };
  return {
    id: hosted.id,
    get state() {
      return hosted.run.state;
    },
    get end() {
      return live().end;
    },
    decide: (step, decision) => live().decide(step, decision),
    say: (text) => void live().say(text),
    pause: () => live().pause(),
    resume: () => live().resume(),
    stop: () => live().stop(),
    undo: (step) => undo(hosted, step),
  };
}

async function undo(hosted: HostedRun, step: number | undefined): Promise<void> {
  const left = conflictText(await undoIn(hosted, step === undefined ? {} : { step }));
  if (left !== undefined) throw new Error(left);
}

/** Another extension's command: it always counts as one that runs something, and its words are quoted as data. */
function asForeign(command: Command): Command {
  return {
    ...command,
    effect: "run",
    async prepare(args, preparing) {
      const result = await command.prepare(args, preparing);
      if (!isPrepared(result)) return result;
      return {
        ...result,
        effect: "run",
        async run(running) {
          const outcome = await result.run(running);
          return outcome.status === "done"
            ? { ...outcome, source: { kind: "tool", name: command.name } }
            : outcome;
        },
      };
    },
  };
}
