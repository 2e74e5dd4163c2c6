#!/usr/bin/env node
// A worker of a fleet, with the whole command line: `autogpt-worker --help`.
import { runMain } from "../../../src/headless/fleet/library.ts";
import { runWorkerCommand } from "./worker-command.ts";

await runMain({ worker: runWorkerCommand }, {});
