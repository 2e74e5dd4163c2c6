import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isExecutable, onPath } from "./executables.ts";

/** Where Python may be. */
export interface PythonPlaces {
  /** The user's setting: a path, or a name on the search path; "" leaves it to us. */
  readonly setting: string;
  /** The interpreter that the editor's Python extension has chosen for the workspace. */
  chosen?(): Promise<string | undefined>;
  /** Real paths of the workspace folders. */
  folders(): readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

/** A found interpreter, or why there is none, as a sentence. */
export type Interpreter = { readonly path: string } | { readonly why: string };

const ENVIRONMENTS = [".venv", "venv"];

/** The interpreter as the user wants it; else the editor's choice, the workspace's own environment, or the machine's. */
export async function pythonInterpreter(places: PythonPlaces): Promise<Interpreter> {
  const { env = process.env, platform = process.platform } = places;
  const setting = places.setting.trim().replace(/^~(?=[\\/])/, homedir());
  if (setting !== "") {
    const named = isAbsolute(setting) ? [setting].find(isExecutable) : onPath([setting], env, platform);
    return named === undefined
      ? { why: `autogpt.python.interpreter names ${setting}, which is no program here. Correct the setting.` }
      : { path: named };
  }
  const chosen = await places.chosen?.().catch(() => undefined);
  const path =
    [chosen, ...places.folders().flatMap((folder) => environmentsOf(folder, platform))].find(
      (candidate) => candidate !== undefined && isExecutable(candidate),
    ) ?? onPath(["python3", "python"], env, platform);
  return path === undefined
    ? { why: "There is no Python on this machine. Install it, or name one in autogpt.python.interpreter." }
    : { path };
}

function environmentsOf(folder: string, platform: NodeJS.Platform): readonly string[] {
  const below = platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  return ENVIRONMENTS.map((name) => join(folder, name, ...below));
}
