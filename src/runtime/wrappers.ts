import { isUriPath } from "../core/base/uri-path.ts";
import { withinBudget } from "../core/budget/reserved-budget.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import type { Approver } from "../core/ports/approver.ts";
import type { Model } from "../core/ports/model.ts";
import type { RunLog } from "../core/ports/storage.ts";
import { type FittingInstructions, withInstructions } from "../instructions/fitting-instructions.ts";
import { isAttributesFile } from "../node/git/attributes.ts";
import { committedFiles, readCommitted } from "../node/git/committed-files.ts";
import { scanner } from "../node/search/folder-contents.ts";
import { logWithRetries } from "../runs/log/log-retries.ts";
import { redactedLog, type Secrets, withSecrets } from "../runs/log/secrets.ts";
import type { SeenFiles } from "../runs/undo/file-state.ts";
import type { UndoJournal } from "../runs/undo/journal.ts";
import { type ProgramView, programView } from "../runs/undo/program-view.ts";
import { withUndo } from "../runs/undo/with-undo.ts";
import type { PolicyState } from "../safety/policy/policy-state.ts";
import { withPolicy } from "../safety/policy/with-policy.ts";
import type { Provenance } from "../safety/provenance/provenance.ts";
import { withProvenance } from "../safety/provenance/with-provenance.ts";
import type { Host } from "./host.ts";
import { heldContents } from "./isolated/held-contents.ts";
import { type LateParts, reservedFor, type SubRun } from "./late-parts.ts";
import { withReserved } from "./subagents/budget-pool.ts";
import { namedApprover } from "./subagents/spawn.ts";
import { withUnsavedNote } from "./unsaved-changes.ts";

/** The parts of an agent that are wrapped, each with what its wrappers need. */
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
      folders(): readonly string[];
      readonly fitting: FittingInstructions;
    };
  };
  readonly approver: {
    readonly part: Approver;
    readonly needs: { readonly policy: PolicyState; readonly sub: SubRun | undefined };
  };
  readonly smallTasks: { readonly part: Model; readonly needs: LateParts };
}

interface WrapperOf<P extends keyof Wrapped> {
  readonly port: P;
  readonly name: string;
  /** The reason for its position. */
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
    wrap: (log, { secrets }) => redactedLog(log, secrets),
  },
  {
    port: "log",
    name: "disk",
    why: "Outermost: while the disk can't be written, the whole append waits, so the run does nothing else.",
    wrap: (log, { host, id }) =>
      logWithRetries(log, {
        waits: () => host.log.waitsForDisk(id),
        told: (trouble) => host.log.diskTrouble(id, trouble),
      }),
  },
  {
    port: "commands",
    name: "secrets",
    why: "Innermost: only the command itself sees a secret in place of its mark; everything outside handles the mark.",
    wrap: (commands, { secrets }) => withSecrets(commands, secrets),
  },
  {
    port: "commands",
    name: "undo",
    why: "Next to the effect: the images before and after a command hold its changes alone.",
    wrap: (commands, { host, journal, seen, folders, folder }) => {
      const readHeld = host.isolated && heldContents(host.isolated.copy);
      const view = isUriPath(folder)
        ? undefined
        : diskView({ ...host.processes, ...host.workspace, readHeld }, folder, folders);
      return withUndo(commands, journal, view, seen);
    },
  },
  {
    port: "commands",
    name: "unsaved",
    why: "Around undo, which compares files on disk: it only adds what a program couldn't see of them.",
    wrap: (commands, { host, folders }) =>
      withUnsavedNote(commands, { texts: host.workspace.unsaved, folders }),
  },
  {
    port: "commands",
    name: "provenance",
    why: "Outside of all that writes outcomes: it names the source of what the model is going to read, whoever wrote it.",
    wrap: (commands, { host, provenance, folders }) =>
      withProvenance(commands, {
        provenance,
        disk: host.processes.disk,
        folders,
        shell: () => host.processes.shellKnowledge(),
      }),
  },
  {
    port: "commands",
    name: "instructions",
    why: "Outermost: the repository's instructions are quoted apart from the outcome, and no command or hook can write or drop any.",
    wrap: (commands, { fitting }) => withInstructions(commands, fitting),
  },
  {
    port: "approver",
    name: "agent",
    why: "Innermost: it adds the sub-agent's name to the question that the person sees.",
    wrap: (approver, { sub }) => (sub ? namedApprover(approver, sub.spawning.request.name) : approver),
  },
  {
    port: "approver",
    name: "policy",
    why: "Outermost: it refuses and allows by itself and asks only about the rest.",
    wrap: (approver, { policy }) => withPolicy(approver, policy),
  },
  {
    port: "smallTasks",
    name: "budget",
    why: "Around the finished model, whose prices it needs: a call that the run and its agents can't afford is not made.",
    wrap: (model, parts) =>
      withinBudget(model, () => parts.late.run && withReserved(parts.late.run.state, reservedFor(parts))),
  },
];

/** The files that programs may change, on this machine. */
export function diskView(
  {
    folderWatch,
    savedSince,
    readHeld = readCommitted,
  }: Pick<Host["processes"], "folderWatch"> &
    Pick<Host["workspace"], "savedSince"> & { readonly readHeld?: ProgramView["readHeld"] | undefined },
  folder: string,
  all: () => readonly string[],
): ProgramView {
  const folders = () => all().filter((path) => !isUriPath(path));
  return programView({
    folder,
    folders,
    look: scanner(folders),
    held: (paths) => committedFiles(folders(), [...paths].filter(isAttributesFile)),
    watch: folderWatch,
    readHeld,
    savedSince: (since) => savedSince?.(since) ?? new Set(),
  });
}

/** A part with all its wrappers, in the order of the list. */
export function wrapped<P extends keyof Wrapped>(
  port: P,
  part: Wrapped[P]["part"],
  needs: Wrapped[P]["needs"],
): Wrapped[P]["part"] {
  const isOfPort = (wrapper: Wrapper): wrapper is Wrapper & WrapperOf<P> => wrapper.port === port;
  return WRAPPERS.filter(isOfPort).reduce((inner, wrapper) => wrapper.wrap(inner, needs), part);
}
