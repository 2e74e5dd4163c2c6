// Bundles the command line into dist-cli/: a program that needs nothing but Node.
import fs from "node:fs";
import { buildCommandLine } from "../build-command-line.mjs";
import { inRoot } from "../setup/root.mjs";

await buildCommandLine("dist-cli", { autogpt: "src/headless.ts" });
// Copied to another machine, it has to know its version there.
const { version, license } = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8"));
const shipped = { name: "autogpt-program", version, license, type: "module" };
fs.writeFileSync(inRoot("dist-cli/package.json"), `${JSON.stringify(shipped, undefined, 2)}\n`);
