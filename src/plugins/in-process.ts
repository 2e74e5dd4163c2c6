import { isObject } from "../core/base/json.ts";
import { HOOK_NAMES, type HookName } from "../schema/plugin-values.ts";
import { DisplayError, displayText } from "../texts/display-text.ts";
import { createContextFactory, type PluginServices, prepareOffer } from "./call-context.ts";
import { HOOKS } from "./hooks.ts";
import type {
  CommandRun,
  HookContext,
  LoadedPlugin,
  Plugin,
  PluginCommand,
  PluginOrigin,
  PluginRun,
} from "./plugin.ts";

/** The origin of a plugin in this process, and the run for which it's loaded. */
export interface InProcessOptions {
  readonly from: PluginOrigin;
  readonly kind: "extension" | "own";
  readonly run: PluginRun;
  readonly services: PluginServices;
}

type HookFunction = (payload: unknown, context: HookContext) => unknown;

const ID = /^[\w.-]{1,64}$/;

/** Why something can't be a plugin, as a sentence; undefined if it can. */
export function checkPlugin(plugin: unknown): string | undefined {
  if (!isObject(plugin)) return "A plugin must be an object.";
  const { id } = plugin;
  if (typeof id !== "string" || !ID.test(id))
    return "A plugin needs an id of at most 64 letters, digits, dots, underscores and hyphens.";
  return undefined;
}

/** A plugin whose functions are called in this process. They can't be interrupted, only ignored. */
export function createInProcessPlugin(plugin: Plugin, { from, kind, run, services }: InProcessOptions): LoadedPlugin {
  const functions = new Map(HOOK_NAMES.map((hook) => [hook, listHookFunctions(plugin, hook)]));
  const commands = new Map<string, PluginCommand>();
  const contextOf = createContextFactory(plugin.id, run, services);
  return {
    id: plugin.id,
    name: plugin.name ?? plugin.id,
    from,
    kind,
    hooks: listPluginHooks(plugin),
    isGuard: plugin.guard === true,
    async call(hook, payload, signal) {
      let answer: object = {};
      const own: object = structuredClone(Object(payload));
      for (const act of functions.get(hook) ?? []) {
        const said = await act.call(plugin, { ...own, ...answer }, contextOf(signal));
        if (said === undefined) continue;
        if (!isObject(said)) throw new Error("its answer is no object");
        answer = { ...answer, ...said };
      }
      return hook === "offer" ? describeOffer(answer, commands) : answer;
    },
    async run(name, args, running: CommandRun) {
      const command = commands.get(name);
      if (!command?.run) throw new DisplayError(displayText("plugins.commandGone", { name }));
      const { output } = running;
      return command.run(structuredClone(args), { ...contextOf(running.signal), output });
    },
    async prepare(name, args, signal) {
      const command = commands.get(name);
      if (!command) throw new DisplayError(displayText("plugins.commandGone", { name }));
      return prepareOffer(command, structuredClone(args), run, { signal, createContext: contextOf });
    },
    close: async () => undefined,
  };
}

/** The hooks that a plugin has, under any of their names. */
export function listPluginHooks(plugin: Plugin): readonly HookName[] {
  return HOOK_NAMES.filter((hook) => listHookFunctions(plugin, hook).length > 0);
}

/** The functions of a hook under all its names; a classic AutoGPT plugin may have two for one hook. */
function listHookFunctions(plugin: Plugin, hook: HookName): readonly HookFunction[] {
  const members = new Map(Object.entries(plugin));
  const named = [hook, ...HOOKS[hook].classic].map((name) => members.get(name) ?? findInheritedMethod(plugin, name));
  return [...new Set(named)].filter((member): member is HookFunction => typeof member === "function");
}

/** A method of the plugin's class. */
function findInheritedMethod(plugin: object, name: string): unknown {
  return name in Object.prototype ? undefined : Reflect.get(plugin, name);
}

/** The offer without its functions, which are stored. */
function describeOffer(answer: object, commands: Map<string, PluginCommand>): unknown {
  const offered: unknown = Reflect.get(answer, "commands");
  if (!Array.isArray(offered)) return answer;
  const usable = offered.filter(
    (command): command is PluginCommand =>
      isObject(command) && (typeof command.run === "function" || typeof command.prepare === "function"),
  );
  for (const command of usable) commands.set(command.name, command);
  return { ...answer, commands: usable.map(({ run: _run, prepare: _prepare, ...rest }) => rest) };
}
