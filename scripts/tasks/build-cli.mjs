// Bundles the command line into dist-cli/: a program that needs nothing but Node.
import { buildCommandLine } from "../build-command-line.mjs";

await buildCommandLine("dist-cli", { autogpt: "src/headless.ts" });
