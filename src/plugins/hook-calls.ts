import { runWithinTime } from "../core/base/async.ts";
import { isObject } from "../core/base/json.ts";
import { cutText } from "../core/base/text.ts";
import type { AgentEventBody } from "../schema/events.ts";
import { isHookAnswer } from "../schema/host-validators.ts";
import { ANSWER_FIELDS, type HookAnswer, type HookName, type HookPayloads } from "../schema/plugin-values.ts";
import { displayText, type Sentence } from "../texts/display-text.ts";
import { HOOKS, MAX_FAILURES_IN_A_ROW } from "./hooks.ts";
import type { LoadedPlugin } from "./plugin.ts";

/** The event of one call. */
export type HookedEvent = Extract<AgentEventBody, { type: "hooked" }>;

/** The answer of a plugin to a hook, or why there is none. */
export type Answered<Name extends HookName> =
  | { readonly plugin: LoadedPlugin; readonly answer: HookAnswer<Name> }
  | { readonly plugin: LoadedPlugin; readonly failed: string };

/** The run as its plugins see it. */
export interface HookedRun {
  /** The number of the current step. */
  getCurrentStep(): number;
  /** Records the events of calls before the next recorded event. Callers don't wait for it. */
  record(events: readonly HookedEvent[]): void;
  notice(text: Sentence): void;
}

const MAX_ANSWER_CHARS = 1_000_000;

/** Calls the hooks of a run's plugins: in order, within limits of time, and what goes wrong in one is kept away from the others. */
export class HookCalls {
  readonly plugins: readonly LoadedPlugin[];
  private readonly run: HookedRun;
  private readonly failures = new Map<string, number>();
  private readonly unwritten: HookedEvent[] = [];

  constructor(plugins: readonly LoadedPlugin[], run: HookedRun) {
    this.plugins = plugins;
    this.run = run;
  }

  has(hook: HookName): boolean {
    return this.plugins.some(({ hooks }) => hooks.includes(hook));
  }

  listPluginsWithHook(hook: HookName): readonly LoadedPlugin[] {
    return this.plugins.filter(({ hooks }) => hooks.includes(hook));
  }

  /** Calls all plugins that have the hook, at the same time. */
  callAll<Name extends HookName>(
    hook: Name,
    payload: HookPayloads[Name],
    signal: AbortSignal,
  ): Promise<readonly Answered<Name>[]> {
    return this.recordCalls(
      Promise.all(this.listPluginsWithHook(hook).map((plugin) => this.call(plugin, hook, payload, signal))),
    );
  }

  /** Calls one hook of one plugin. Throws only when the run is aborted. */
  async call<Name extends HookName>(
    plugin: LoadedPlugin,
    hook: Name,
    payload: HookPayloads[Name],
    signal: AbortSignal,
  ): Promise<Answered<Name>> {
    const failed = this.failures.get(plugin.id) ?? 0;
    if (failed >= MAX_FAILURES_IN_A_ROW) return { plugin, failed: "it's off for this run" };
    const began = performance.now();
    const limitMs = HOOKS[hook].limitMs === 0 ? 0 : (plugin.limitMs ?? HOOKS[hook].limitMs);
    const one = await runWithinTime(limitMs, signal, async (inTime) => {
      const answer = parseHookAnswer(hook, await plugin.call(hook, payload, inTime));
      return { plugin, answer };
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      return { plugin, failed: cutText(error instanceof Error ? error.message : String(error), 300) };
    });
    const ms = Math.round((performance.now() - began) * 100) / 100;
    this.log(plugin, hook, ms, one);
    return one;
  }

  /** Records the events of the calls together. Events are written in the order of their calls, so the step needn't wait. */
  async recordCalls<T>(calls: Promise<T>): Promise<T> {
    try {
      return await calls;
    } finally {
      const events = this.unwritten.splice(0);
      if (events.length > 0) this.run.record(events);
    }
  }

  private log<Name extends HookName>(
    { id, name }: LoadedPlugin,
    hook: HookName,
    ms: number,
    one: Answered<Name>,
  ): void {
    const why = "failed" in one ? one.failed : formatChangedFields(one.answer);
    const result = "failed" in one ? "failed" : why === "" ? "none" : "changed";
    const count = "failed" in one ? (this.failures.get(id) ?? 0) + 1 : 0;
    this.failures.set(id, count);
    const step = this.run.getCurrentStep();
    this.unwritten.push({
      type: "hooked",
      step,
      plugin: id,
      hook,
      ms,
      result,
      ...(why === "" ? {} : { why }),
    });
    if (count === MAX_FAILURES_IN_A_ROW) this.run.notice(displayText("plugins.off", { name, count, why }));
  }
}

/** An answer as plain JSON of the right shape. Throws a sentence for anything else. */
function parseHookAnswer<Name extends HookName>(hook: Name, answer: unknown): HookAnswer<Name> {
  if (answer === undefined || answer === null) return {} as HookAnswer<Name>;
  const json = JSON.stringify(answer);
  if (json === undefined || json.length > MAX_ANSWER_CHARS) throw new Error("its answer is too long, or none");
  const value: unknown = JSON.parse(json);
  // Any other field has no meaning, whatever its name promises.
  const known = isObject(value) && ANSWER_FIELDS[hook].filter((name) => Object.hasOwn(value, name));
  const tagged: unknown = known && { ...Object.fromEntries(known.map((name) => [name, value[name]])), hook };
  if (!isHookAnswer(tagged)) throw new Error("its answer has the wrong form");
  const { hook: _hook, ...rest } = tagged;
  return rest as HookAnswer<Name>;
}

/** Names of the fields of an answer that change something. */
function formatChangedFields(answer: object): string {
  const fields = Object.entries(answer).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "",
  );
  return fields.map(([name]) => name).join(", ");
}
