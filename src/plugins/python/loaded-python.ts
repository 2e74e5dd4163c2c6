import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { isWithinAny } from "../../disk/below.ts";
import { createEnvironmentOutside } from "../../node/processes/program-versions.ts";
import { mergeVariables } from "../../node/processes/shell-environment.ts";
import { findPythonInterpreter as findPython } from "../../node/python/python.ts";
import { HOOK_NAMES, type HookName } from "../../schema/plugin-values.ts";
import { fail } from "../../texts/display-text.ts";
import { HOOKS } from "../hooks.ts";
import type { LoadedPlugin, PluginOrigin, PluginRun } from "../plugin.ts";
import { getPluginEnvironment } from "../process/plugin-child.ts";
import { PluginLog } from "../process/plugin-log.ts";
import { PluginProcess } from "../process/plugin-process.ts";

/** How to run classic plugins. */
export interface PythonParts {
  /** Path of classic_bridge.py. */
  readonly classicBridge: string;
  /** The configured interpreter, or the one that the user has chosen. */
  findPythonInterpreter(folder: string): Promise<string | undefined>;
  readonly env?: NodeJS.ProcessEnv;
}

/** A package to load. */
interface PythonStart {
  readonly id: string;
  readonly from: PluginOrigin;
  /** Its folder within the plugin's files. */
  readonly package: string;
  /** Ensures that a folder contains exactly the allowed files, and returns it. */
  ensureFiles(): Promise<string>;
}

/** Loads a package in a separate process. Throws a sentence if that fails. */
export async function loadPython(
  start: PythonStart,
  run: PluginRun,
  { classicBridge, findPythonInterpreter: pythonInterpreter, env = process.env }: PythonParts,
): Promise<LoadedPlugin> {
  // A workspace must not bring the interpreter that runs the user's plugins.
  const folders = [run.folder, ...run.listFolders().map(({ path }) => path)];
  const outside = createEnvironmentOutside(folders, env);
  const chosen = (await pythonInterpreter(run.origin ?? run.folder)) ?? "";
  // Nor one that the run's own lines could write.
  const isWritable = run.walls && isAbsolute(chosen) && existsSync(chosen) && isWithinAny(chosen, folders);
  const setting = isWritable ? "" : chosen;
  const python = await findPython({ setting, env: outside, listFolders: () => [] });
  if ("why" in python) fail("plugins.noPython");
  const child = new PluginProcess({
    prepare: async () => {
      const place = await start.ensureFiles();
      const variables = selectPluginVariables(run.settings.plugins.config[start.id] ?? {}, env);
      const words = [python.path, "-B", "-u", classicBridge];
      // Confined programs of the run can write to its folder.
      return {
        words,
        cwd: run.walls ? place : run.folder,
        env: mergeVariables(getPluginEnvironment(outside), variables),
      };
    },
    hello: { hello: { root: await start.ensureFiles(), package: start.package } },
    log: new PluginLog(join(run.home, "plugins", `${start.id}.log`), (text) => run.redact(text)),
  });
  try {
    const hooks = await queryHooks(child);
    return {
      id: start.id,
      name: start.id,
      from: start.from,
      kind: "python",
      hooks,
      isGuard: false,
      call: (hook, payload, signal) => child.call({ hook, payload }, signal),
      run: async (name, args, { signal, output }) => String(await child.call({ run: name, args }, signal, output)),
      close: () => child.close(),
    };
  } catch (error) {
    await child.close();
    const version = /^too old: (.+)$/.exec(getErrorMessage(error))?.[1];
    if (version !== undefined) fail("plugins.oldPython", { path: python.path, version });
    throw error;
  }
}

/** Starts a plugin and queries its hooks. */
async function queryHooks(child: PluginProcess): Promise<readonly HookName[]> {
  const answer = await child.start(new AbortController().signal);
  const classic: readonly unknown[] =
    isObject(answer) && Array.isArray(answer.hooks) ? (answer.hooks as unknown[]) : [];
  return HOOK_NAMES.filter((name) => HOOKS[name].classic.some((own) => classic.includes(own)));
}

/**
 * Variables that configure classic plugins: values in capital letters, and those of this program's variables that the user named in the
 * list `env`. No other secret reaches a plugin.
 */
function selectPluginVariables(
  config: Readonly<Record<string, unknown>>,
  env: Readonly<NodeJS.ProcessEnv>,
): Record<string, string> {
  const named: readonly unknown[] = Array.isArray(config.env) ? (config.env as unknown[]) : [];
  const lent = named.flatMap((name) => {
    const value = typeof name === "string" ? env[name] : undefined;
    return value === undefined ? [] : [[String(name), value] as const];
  });
  const set = Object.entries(config).flatMap(([name, value]) =>
    /^[A-Z][A-Z0-9_]*$/.test(name) && typeof value !== "object" ? [[name, String(value)] as const] : [],
  );
  return Object.fromEntries([...set, ...lent]);
}
