// The packaged extension in Eclipse Theia, driven in a browser. The first time, Theia is installed into .cache/theia and built,
// which takes about a minute, half a gigabyte and a C++ compiler. With --no-package the package that is there is used; other
// arguments go to mocha.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { cachedPackages } from "../setup/cached-packages.mjs";
import { prepareHost } from "../setup/host.mjs";
import { runNode } from "../setup/node-program.mjs";
import { npm } from "../setup/npm.mjs";
import { inRoot } from "../setup/root.mjs";

const args = process.argv.slice(2);

/** Builds the one native module that has no binary in its package, and bundles the application. */
async function build(folder) {
  npm(["rebuild", "drivelist"], folder);
  const theia = path.join(folder, "node_modules/@theia/cli/bin/theia.js");
  const { status } = spawnSync(process.execPath, [theia, "build", "--mode", "development"], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error("Theia could not be built. Read its messages above, then try again.");
}

await prepareHost();
await cachedPackages("theia", inRoot("test/theia/application"), build);
const steps = [
  ...(args.includes("--no-package") ? [] : [["scripts/tasks/package.mjs"]]),
  [
    ...["mocha", "--reporter", "test/host/counted-spec.ts", "--fail-zero", "test/theia/*.theia.ts"],
    ...args.filter((arg) => arg !== "--no-package"),
  ],
];
for (const step of steps) {
  const { code } = await runNode(step);
  process.exitCode = code;
  if (code !== 0) break;
}
