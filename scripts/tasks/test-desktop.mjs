// The integration tests in a desktop VS Code: the executable in $VSCODE_DESKTOP, or one that is downloaded when it can be. Arguments go
// to the runner.
import { downloadedDesktop, hasDisplay } from "../setup/desktop.mjs";
import { runNode, runOrExit } from "../setup/node-program.mjs";

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(0);
}

if (!hasDisplay()) skip("a desktop VS Code needs a display. Run this under xvfb-run, or on a desktop.");
const desktop = process.env.VSCODE_DESKTOP || (await downloadedDesktop());
if (!desktop)
  skip(
    "no desktop VS Code could be downloaded. Run this where update.code.visualstudio.com can be reached, or name an executable in VSCODE_DESKTOP.",
  );
await runOrExit(["esbuild.mjs"]);
const { code } = await runNode(["test/integration/run.ts", "--desktop", desktop, ...process.argv.slice(2)]);
process.exitCode = code;
