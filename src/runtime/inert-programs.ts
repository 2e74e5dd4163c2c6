import type { Git, Python } from "../core/ports/programs.ts";
import { findNodeGit } from "../node/git/git.ts";
import type { ProgramWalls } from "../node/processes/programs.ts";
import { PYTHON_IMAGE } from "../node/python/docker.ts";
import type { RunShell } from "../node/sandbox/run-shell.ts";
import type { Settings } from "../schema/settings.ts";
import { displayText } from "../texts/display-text.ts";

/** The programs that the commands of a run start. */
export interface RunPrograms {
  readonly shell: RunShell;
  readonly python: Python;
  readonly git: Git | undefined;
  /** Set where command lines are confined, for the programs of plugins. */
  readonly walls?: ProgramWalls | undefined;
  /** Disposes of what the programs share; absent if they share nothing. */
  dispose?(): Promise<void>;
}

/** The run that programs are made for. */
export interface ProgramsOptions {
  /** The run's own folder, for outputs and code. */
  readonly runHome: string;
  readonly settings: Settings;
  /** Removes secrets from a text before it is kept. */
  redact(text: string): string;
}

/** Programs that look the same to commands and policy but start nothing, so that calls can be prepared and judged. */
export function createInertPrograms({ shell, python }: Settings, shellName: string): RunPrograms {
  return {
    shell: shell.enabled ? createInertShell(shell.sandbox, shellName) : {},
    python: {
      getCodePath: (step) => `code/${step}.py`,
      keep: refuseStart,
      drop: refuseStart,
      start: async (file) => ({
        words: ["python3", "-u", file],
        where: python.useDocker
          ? displayText("approval.inDocker", { image: PYTHON_IMAGE })
          : displayText("approval.onMachine"),
        confined: python.useDocker,
      }),
    },
    git: createInertGit(),
  };
}

/** Treats the sandbox as working, because only a trial could show whether it does. */
function createInertShell(sandbox: Settings["shell"]["sandbox"], name: string): RunShell {
  return {
    shell: { name, run: refuseStart },
    processes: {
      start: refuseStart,
      list: () => [],
      read: async () => undefined,
      stop: async () => undefined,
      keep: () => undefined,
      onChange: () => () => undefined,
      endAll: async () => undefined,
    },
    ...(sandbox === "off" ? {} : { sandbox }),
  };
}

/** Finds repositories on the disk. Every revision counts as existing, because only git itself knows. */
function createInertGit(): Git | undefined {
  const git = findNodeGit();
  return (
    git && {
      findRepository: (folder) => git.findRepository(folder),
      read: async () => ({ ok: true, text: "0".repeat(40), isCut: false }),
      clone: refuseStart,
    }
  );
}

async function refuseStart(): Promise<never> {
  throw new Error("Nothing is run while calls are judged.");
}
