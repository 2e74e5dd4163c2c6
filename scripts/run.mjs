// `node scripts/run.mjs TASK [arguments]`, on Node 20 or newer: prepares what the task needs, then runs it under
// Node 24. Nothing but the task itself writes to standard output.

import { testPrograms } from "./setup/bubblewrap.mjs";
import { handOver } from "./setup/hand-over.mjs";
import { findNode24 } from "./setup/node24.mjs";
import { installPackages } from "./setup/packages.mjs";
import { inRoot, ROOT } from "./setup/root.mjs";
import { listTasks, TASKS } from "./tasks.mjs";

const [name, ...args] = process.argv.slice(2);
const task = Object.hasOwn(TASKS, name ?? "") ? TASKS[name] : undefined;

try {
  if (!task) throw new Error(`There is no task ${JSON.stringify(name ?? "")}. The tasks are:\n${listTasks()}`);
  await installPackages(ROOT);
  const programs = /^(test|bench)/.test(name) ? await testPrograms() : [];
  handOver(await findNode24(), [inRoot(task[0]), ...(task[2] ?? []), ...args], programs);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
