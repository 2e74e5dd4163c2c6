#!/usr/bin/env node
// A worker of a fleet, with the whole command line: `autogpt-worker --help`.
import { explainNoLibrary, runMain, UsageError } from "../../../src/headless/fleet/library.ts";

await runMain(
  {
    worker: async (...call) => {
      const why = explainNoLibrary(process);
      if (why !== undefined) throw new UsageError(why);
      // Temporal's library can't even be loaded where it has no program for the system.
      const { runWorkerCommand } = await import("./worker-command.ts");
      return runWorkerCommand(...call);
    },
  },
  {},
);
