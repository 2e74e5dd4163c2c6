import path from "node:path";
import { fileURLToPath } from "node:url";

/** The project's own folder: every path a task uses starts here, whatever folder it was called from. */
export const ROOT = path.resolve(fileURLToPath(new URL(".", import.meta.url)), "../..");

/** The absolute path of a file or folder of the project. */
export const inRoot = (...segments) => path.join(ROOT, ...segments);
