// Serves VS Code in the browser with the packaged extension installed, until it is ended. The argument is the folder
// to open; without one it is a copy of the sample workspace.
import path from "node:path";
import { openFront } from "./front.ts";
import { installExtension } from "./installed.ts";
import { ROOT } from "./places.ts";
import { startServer } from "./server.ts";
import { copyWorkspace } from "./workspace.ts";

const asked = process.argv[2];
const copy = asked ? undefined : copyWorkspace(path.join(ROOT, "test/fixtures/sample-workspace"));
const folder = copy?.folder ?? path.resolve(asked ?? ".");

const server = await startServer({
  extensionsFolder: await installExtension(),
  forPeople: true,
  trust: copy === undefined,
});
const port = await openFront(server.port);
console.log(`Open http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
console.log("Press Ctrl-C here to end it.");
await server.ended;
console.error(`VS Code's server has ended by itself. It printed:\n${server.output()}`);
process.exit(1);
