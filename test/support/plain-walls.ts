import { WORKERS } from "../../src/headless/workers.ts";
import type { Walls } from "../../src/isolation/walls/walls.ts";
import { findNodeGit } from "../../src/node/git/git.ts";
import { createNodeProcesses } from "../../src/node/processes/background-processes.ts";
import { chooseShellProgram } from "../../src/node/processes/programs.ts";
import { createNodeShell } from "../../src/node/processes/shell.ts";
import { selectDefinedVariables } from "../../src/node/processes/shell-environment.ts";
import type { HostIsolation } from "../../src/runtime/isolated/isolated-run.ts";
import { createNodeIsolation } from "../../src/runtime/isolated/node-isolation.ts";

/** Walls that hold nothing, for tests of what is around them. `open`: how many programs aren't released yet. */
export function plainWalls(): Walls & { readonly open: () => number } {
  let open = 0;
  return {
    engine: "bubblewrap",
    limits: { memory: false, processes: false, disk: false, time: false },
    hasLayers: false,
    open: () => open,
    createPrograms: async (_copy, { runHome, redact }) => {
      open++;
      const options = { outputFolder: runHome, redact };
      return {
        shell: createNodeShell(options),
        processes: createNodeProcesses(options),
        git: findNodeGit(),
        walls: {
          shell: chooseShellProgram(),
          start: async (start) => ({
            ...start,
            env: { ...selectDefinedVariables(process.env), ...start.env },
          }),
        },
        dispose: async () => {
          open--;
        },
      };
    },
  };
}

/** Isolation with real copies, whose walls hold nothing. */
export function plainIsolation(walls: Walls): HostIsolation {
  return { ...createNodeIsolation(WORKERS.copy), findWalls: async () => walls };
}
