// Serves VS Code in the browser with the packaged extension installed, until it is stopped. The argument is the folder
// to open; without one it is a copy of the sample workspace.
import path from "node:path";
import { openFront } from "./front.ts";
import { installExtension, installFolder } from "./installed.ts";
import { openBrowser } from "./open-browser.ts";
import { ROOT } from "./places.ts";
import { startServer } from "./server.ts";
import { copyWorkspace } from "./workspace.ts";

const asked = process.argv[2];
const copy = asked ? undefined : copyWorkspace(path.join(ROOT, "test/fixtures/sample-workspace"));
const folder = copy?.folder ?? path.resolve(asked ?? ".");

const extensionsFolder = await installExtension();
installFolder(extensionsFolder, path.join(ROOT, "scripts/start"));
const server = await startServer({
  extensionsFolder,
  forPeople: true,
  trust: copy === undefined,
});
const port = await openFront(server.port);
const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`;
const opened = openBrowser(url);
console.log(
  opened ? "VS Code opens in your browser, with AutoGPT's panel in view." : "Open this address in a browser.",
);
console.log("Press Ctrl+C to stop.\n");
console.log(url);
await server.ended;
console.error(`VS Code's server has stopped. It printed:\n${server.output()}`);
process.exit(1);
