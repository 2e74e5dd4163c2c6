import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { linkBuiltInExtensions } from "./built-in-extensions.ts";
import { VSCODE } from "./places.ts";
import { killTree, whenThisProcessEnds } from "./process-tree.ts";
import { makeProfile, type Profile, type Settings } from "./profile.ts";

/** How a VS Code server differs from a plain one. */
export interface ServerOptions {
  readonly settings?: Settings;
  /** More environment variables for the server, the extension host and its terminals. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether folders must be trusted first, as on a user's machine; else every folder is. */
  readonly trust?: boolean;
  /** A folder of installed extensions; else there are none but the built-in ones. */
  readonly extensionsFolder?: string;
  /** For a person instead of a test: with every built-in extension, and up for as long as this process. */
  readonly forPeople?: boolean;
}

/** A running VS Code server with a profile of its own. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  readonly profileFolder: string;
  /** Settles when the server has ended, by itself or because it was stopped. */
  readonly ended: Promise<void>;
  /** What the server has printed so far. */
  output(): string;
  /** Ends the server with everything it started, and deletes its profile. */
  stop(): void;
}

const STARTED = /Extension host agent listening on (\d+)/;
const START_SECONDS = 60;

/** Starts VS Code's own server on a free port of this machine. It ends with this process at the latest. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const profile = makeProfile(options.settings);
  const child = spawn(process.execPath, commandLine(options, profile.folder), {
    env: environment(profile, options),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stop = () => {
    keepRunning();
    killTree(child);
    profile.remove();
  };
  const keepRunning = whenThisProcessEnds(stop);
  try {
    const { port, output } = await started(child);
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    return { port, pid: child.pid ?? 0, profileFolder: profile.folder, ended, output, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

function commandLine(options: ServerOptions, profile: string): readonly string[] {
  const extensionsFolder = options.extensionsFolder ?? path.join(profile, "extensions");
  const fewBuiltIns = () => linkBuiltInExtensions(path.join(profile, "builtin"));
  return [
    path.join(VSCODE, "out/server-main.js"),
    ...["--host", "127.0.0.1", "--port", "0", "--without-connection-token"],
    ...["--accept-server-license-terms", "--telemetry-level", "off"],
    ...["--server-data-dir", profile, "--extensions-dir", extensionsFolder],
    // Tests have this environment, with the programs that were brought for them, and not that of a login shell.
    ...(options.forPeople
      ? []
      : [...["--builtin-extensions-dir", fewBuiltIns(), "--enable-remote-auto-shutdown"], "--force-disable-user-env"]),
    ...(options.trust ? [] : ["--disable-workspace-trust"]),
  ];
}

/** Ours, without what would lead VS Code or a test astray: another VS Code's variables, and the user's keys and home. */
function environment({ folder, temporary, home }: Profile, { env = {}, forPeople }: ServerOptions): NodeJS.ProcessEnv {
  const astray = /^(VSCODE_|ELECTRON_|NODE_OPTIONS$|OPENAI_|AZURE_)/;
  const own = Object.entries(process.env).filter(([name]) => !astray.test(name));
  const folders = { TMPDIR: temporary, XDG_RUNTIME_DIR: temporary, VSCODE_AGENT_FOLDER: folder };
  return { ...Object.fromEntries(own), ...folders, ...(forPeople ? {} : { HOME: home }), ...env };
}

function started(child: ChildProcess): Promise<{ port: number; output: () => string }> {
  let printed = "";
  const output = () => printed;
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`VS Code's server ${what}. It printed:\n${printed}`));
    const timer = setTimeout(() => fail(`did not start in ${START_SECONDS} seconds`), START_SECONDS * 1000);
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const port = STARTED.exec(printed)?.[1];
      if (!port) return;
      clearTimeout(timer);
      resolve({ port: Number(port), output });
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => fail(`could not be started: ${error.message}`));
    child.once("exit", (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code}`);
    });
  });
}
