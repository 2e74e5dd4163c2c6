// The packages and Node 24 are there by the time a task runs; what is left is the VS Code that tests run in.
import { prepareHost } from "../setup/host.mjs";

await prepareHost();
console.log("Everything is installed. Next: npm start, or npm test.");
