import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { VSIX } from "../host/installed.ts";
import { ROOT, VSCODE } from "../host/places.ts";
import { killTree, whenThisProcessEnds } from "../host/process-tree.ts";
import type { Settings } from "../host/profile.ts";

/** Where `npm run test:theia` builds the host. */
const THEIA = path.join(ROOT, ".cache/theia");

/** Grammars that an application without language extensions lacks. */
const LANGUAGES = ["javascript", "json", "markdown-basics"];

/** A running Theia backend, with a configuration of its own and our package installed as its user would. */
export interface TheiaServer {
  /** By name: a webview has an address of its own below it, which a number can't have. */
  readonly url: string;
  /** The folder that the extension keeps its own files in. */
  readonly storage: string;
  /** What it printed so far. */
  output(): string;
  stop(): void;
}

const STARTED = /Theia app listening on http:\/\/[^:]+:(\d+)/;
const START_SECONDS = 60;

/** Starts a Theia for a folder, on a free port. It ends with this process at the latest. */
export async function startTheia(folder: string, settings: Settings): Promise<TheiaServer> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "theia-"));
  const configuration = path.join(home, "configuration");
  const plugins = path.join(home, "plugins");
  for (const each of [path.join(configuration, "plugins"), plugins, path.join(home, "tmp")])
    fs.mkdirSync(each, { recursive: true });
  fs.writeFileSync(path.join(configuration, "settings.json"), JSON.stringify(settings));
  fs.copyFileSync(VSIX, path.join(configuration, "plugins", path.basename(VSIX)));
  for (const language of LANGUAGES)
    fs.cpSync(path.join(VSCODE, "extensions", language), path.join(plugins, language), { recursive: true });
  const child = spawn(
    process.execPath,
    ["lib/backend/main.js", folder, "--hostname=localhost", "--port=0", `--plugins=local-dir:${plugins}`],
    {
      cwd: THEIA,
      env: { ...environment(), THEIA_CONFIG_DIR: configuration, TMPDIR: path.join(home, "tmp") },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    },
  );
  const keep = whenThisProcessEnds(stop);
  function stop(): void {
    keep();
    killTree(child);
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
  let printed = "";
  const port = await new Promise<string>((resolve, reject) => {
    const fail = (what: string) => {
      stop();
      reject(new Error(`Theia ${what}. It printed:\n${printed}`));
    };
    const timer = setTimeout(() => fail(`did not start in ${START_SECONDS} seconds`), START_SECONDS * 1000);
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const found = STARTED.exec(printed)?.[1];
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", (error) => fail(`could not be started: ${error.message}`));
    child.once("exit", (code) => fail(`ended with code ${code}`));
  });
  return {
    url: `http://localhost:${port}/#${folder}`,
    storage: path.join(configuration, "globalStorage", "autogpt-vscode.autogpt"),
    output: () => printed,
    stop,
  };
}

function environment(): NodeJS.ProcessEnv {
  const astray = /^(VSCODE_|THEIA_|ELECTRON_|NODE_OPTIONS$|OPENAI_|AZURE_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !astray.test(name)));
}
