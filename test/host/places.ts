import path from "node:path";

/** The project's own folder. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The packages of the test host, apart from those of the extension. */
export const PACKAGES = path.join(import.meta.dirname, "node_modules");

/** VS Code as its packager ships it for the web: server, workbench, built-in extensions. AUTOGPT_VSCODE names another version. */
export const VSCODE = process.env.AUTOGPT_VSCODE || path.join(PACKAGES, "code-server/lib/vscode");
