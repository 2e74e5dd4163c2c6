import path from "node:path";

/** The project's own folder. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The packages of the test host, apart from those of the extension. */
export const PACKAGES = path.join(import.meta.dirname, "node_modules");

/** VS Code as its packager ships it for the web: server, workbench, built-in extensions. */
export const OWN_VSCODE = path.join(PACKAGES, "code-server/lib/vscode");

/** The VS Code that is tested: our own, or another version that AUTOGPT_VSCODE names. */
export const VSCODE = process.env.AUTOGPT_VSCODE || OWN_VSCODE;
