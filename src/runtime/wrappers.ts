import { isUriPath } from "../core/base/uri-path.ts";
import { limitModelToBudget } from "../core/budget/reserved-budget.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import type { Approver } from "../core/ports/approver.ts";
import type { Model } from "../core/ports/model.ts";
import type { RunLog } from "../core/ports/storage.ts";
import { isAttributesFile } from "../node/git/attributes.ts";
import { loadCommittedFiles, readCommitted } from "../node/git/committed-files.ts";
import { createScanner } from "../node/search/folder-contents.ts";
import { createRetryingLog } from "../runs/log/log-retries.ts";
import { addSecretMarks, createRedactedLog, type Secrets } from "../runs/log/secrets.ts";
import type { SeenFiles } from "../runs/undo/file-state.ts";
import type { UndoJournal } from "../runs/undo/journal.ts";
import { createProgramView, type ProgramView } from "../runs/undo/program-view.ts";
import { addUndo } from "../runs/undo/with-undo.ts";
import type { PolicyState } from "../safety/policy/policy-state.ts";
import { wrapApproverWithPolicy } from "../safety/policy/with-policy.ts";
import type { Provenance } from "../safety/provenance/provenance.ts";
import { wrapCommandsWithProvenance } from "../safety/provenance/with-provenance.ts";
import type { Host } from "./host.ts";
import { type FittingInstructions, wrapCommandsWithInstructions } from "./instructions/fitting-instructions.ts";
import { createHeldReader } from "./isolated/held-contents.ts";
import type { RunCosts } from "./services/run-costs.ts";
import type { BudgetPool } from "./subagents/budget-pool.ts";
import { createNamedApprover, type SubRun } from "./subagents/spawn.ts";
import { addUnsavedNote } from "./unsaved-changes.ts";

/** The parts of an agent that are wrapped, each with the needs of its wrappers. */
interface Wrapped {
  readonly log: {
    readonly part: RunLog;
    readonly needs: { readonly host: Host; readonly id: string; readonly secrets: Secrets };
  };
  readonly commands: {
    readonly part: CommandSet;
    readonly needs: {
      readonly host: Host;
      readonly secrets: Secrets;
      readonly journal: UndoJournal;
      readonly seen: SeenFiles;
      readonly provenance: Provenance;
      readonly folder: string;
      listFolders(): readonly string[];
    };
  };
  /** The commands of a run that has begun. */
  readonly begunCommands: {
    readonly part: CommandSet;
    readonly needs: { readonly fitting: FittingInstructions };
  };
  readonly approver: {
    readonly part: Approver;
    readonly needs: { readonly policy: PolicyState; readonly sub: SubRun | undefined };
  };
  /** Each model of a run. */
  readonly models: { readonly part: Model; readonly needs: { readonly costs: RunCosts } };
  readonly smallTasks: { readonly part: Model; readonly needs: { readonly budget: BudgetPool } };
}

interface WrapperOf<P extends keyof Wrapped> {
  readonly port: P;
  readonly name: string;
  /** Why the wrapper has this position. */
  readonly why: string;
  wrap(inner: Wrapped[P]["part"], needs: Wrapped[P]["needs"]): Wrapped[P]["part"];
}

type Wrapper = { readonly [P in keyof Wrapped]: WrapperOf<P> }[keyof Wrapped];

/**
 * Every wrapper around a part of a run, for each port from the innermost to the outermost. Retries, prices and reconnecting belong to a
 * model's provider and are applied in `models/`.
 */
export const WRAPPERS: readonly Wrapper[] = [
  {
    port: "log",
    name: "secrets",
    why: "Innermost: no later wrapper and no retry can write a text that was not redacted.",
    wrap: (log, { secrets }) => createRedactedLog(log, secrets),
  },
  {
    port: "log",
    name: "disk",
    why: "Outermost: while the disk can't be written, the whole append waits, so the run does nothing else.",
    wrap: (log, { host, id }) =>
      createRetryingLog(log, {
        shouldWait: () => host.log.shouldWaitForDisk(id),
        reportTrouble: (trouble) => host.log.reportDiskTrouble(id, trouble),
      }),
  },
  {
    port: "commands",
    name: "secrets",
    why: "Innermost: only the command itself sees a secret in place of its mark; everything outside handles the mark.",
    wrap: (commands, { secrets }) => addSecretMarks(commands, secrets),
  },
  {
    port: "commands",
    name: "undo",
    why: "Next to the effect: the images before and after a command hold its changes alone.",
    wrap: (commands, { host, journal, seen, listFolders, folder }) => {
      const readHeld = host.isolated && createHeldReader(host.isolated.copy);
      const view = isUriPath(folder)
        ? undefined
        : createDiskView({ ...host.processes, ...host.workspace, readHeld }, folder, listFolders);
      return addUndo(commands, journal, view, seen);
    },
  },
  {
    port: "commands",
    name: "unsaved",
    why: "Around undo, which compares files on disk: it only adds what a program couldn't see of them.",
    wrap: (commands, { host, listFolders }) => addUnsavedNote(commands, { texts: host.workspace.unsaved, listFolders }),
  },
  {
    port: "commands",
    name: "provenance",
    why: "Outside of all that writes outcomes: it names the source of what the model is going to read, whoever wrote it.",
    wrap: (commands, { host, provenance, listFolders }) =>
      wrapCommandsWithProvenance(commands, {
        provenance,
        disk: host.processes.disk,
        listFolders,
        loadShellLanguage: () => host.processes.loadShellLanguage(),
      }),
  },
  {
    port: "begunCommands",
    name: "instructions",
    why: "Outermost: the repository's instructions are quoted apart from the outcome, and no command or hook can write or drop any.",
    wrap: (commands, { fitting }) => wrapCommandsWithInstructions(commands, fitting),
  },
  {
    port: "approver",
    name: "agent",
    why: "Innermost: it adds the sub-agent's name to the question that the person sees.",
    wrap: (approver, { sub }) => (sub ? createNamedApprover(approver, sub.spawning.request.name) : approver),
  },
  {
    port: "approver",
    name: "policy",
    why: "Outermost: it refuses and allows by itself and asks only about the rest.",
    wrap: (approver, { policy }) => wrapApproverWithPolicy(approver, policy),
  },
  {
    port: "models",
    name: "costs",
    why: "Around the finished model, which may retry: each call of the run and its agents keeps to the budgets over all folders.",
    wrap: (model, { costs }) => costs.limit(model),
  },
  {
    port: "smallTasks",
    name: "budget",
    why: "Around the finished model, whose prices it needs: a call that the run and its agents can't afford is not made.",
    wrap: (model, { budget }) => limitModelToBudget(model, () => budget.getSpendableBudget()),
  },
];

/** The files on this machine that programs may change. */
export function createDiskView(
  {
    folderWatch,
    listSavedSince,
    readHeld = readCommitted,
  }: Pick<Host["processes"], "folderWatch"> &
    Pick<Host["workspace"], "listSavedSince"> & { readonly readHeld?: ProgramView["readHeld"] | undefined },
  folder: string,
  all: () => readonly string[],
): ProgramView {
  const listDiskFolders = () => all().filter((path) => !isUriPath(path));
  return createProgramView({
    folder,
    listFolders: listDiskFolders,
    look: createScanner(listDiskFolders),
    loadHeldContents: (paths) => loadCommittedFiles(listDiskFolders(), [...paths].filter(isAttributesFile)),
    watch: folderWatch,
    readHeld,
    savedSince: (since) => listSavedSince?.(since) ?? new Set(),
  });
}

/** A part with all its wrappers, in the order of the list. */
export function wrapPart<P extends keyof Wrapped>(
  port: P,
  part: Wrapped[P]["part"],
  needs: Wrapped[P]["needs"],
): Wrapped[P]["part"] {
  const isOfPort = (wrapper: Wrapper): wrapper is Wrapper & WrapperOf<P> => wrapper.port === port;
  return WRAPPERS.filter(isOfPort).reduce((inner, wrapper) => wrapper.wrap(inner, needs), part);
}
