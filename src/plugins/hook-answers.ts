import { omitUndefined } from "../core/base/objects.ts";
import { cutText, quoteAsData } from "../core/base/text.ts";
import type { Command } from "../core/commands/command.ts";
import { estimateTokens } from "../core/context/tokens.ts";
import type { CallOpinion } from "../core/ports/step-hooks.ts";
import type { HookAnswer, HookName, OfferedCommand } from "../schema/plugin-values.ts";
import { type DisplayText, displayText, type Sentence } from "../texts/display-text.ts";
import { createOfferedCommands } from "./foreign-command.ts";
import type { Answered } from "./hook-calls.ts";
import { HOOKS, OFFER_TOKENS } from "./hooks.ts";
import type { LoadedPlugin } from "./plugin.ts";

/** Additions of plugins to the head of a run's prompts. */
export interface Offers {
  readonly commands: readonly Command[];
  readonly constraints: readonly string[];
  readonly resources: readonly string[];
  readonly bestPractices: readonly string[];
}

export const NO_OFFERS: Offers = { commands: [], constraints: [], resources: [], bestPractices: [] };

/** The commands of plugins, and as much of their directives for the head of the prompts as the limits allow. */
export function createOffers(
  plugins: readonly LoadedPlugin[],
  answers: readonly Answered<"offer">[],
  notice: (text: Sentence) => void,
): Offers {
  const commands: Command[] = plugins.flatMap((plugin) => plugin.listCommands?.() ?? []);
  const texts = { constraints: [] as string[], resources: [] as string[], bestPractices: [] as string[] };
  let left = OFFER_TOKENS;
  for (const one of answers) {
    if (!("answer" in one)) continue;
    const { plugin, answer } = one;
    let room = Math.min(left, HOOKS.offer.tokens ?? 0);
    for (const kind of ["constraints", "resources", "bestPractices"] as const)
      for (const text of answer[kind] ?? []) {
        const line = quoteAsData(text, describePlugin(plugin));
        const tokens = estimateTokens(line);
        if (tokens > room) continue;
        room -= tokens;
        left -= tokens;
        texts[kind].push(line);
      }
    if (plugin.run)
      commands.push(...createOfferedCommands(plugin, selectUsableCommands(plugin, answer.commands ?? [], notice)));
  }
  return { commands, ...texts };
}

/** The user's rules can allow a server's tool by its name, so no other command may have such a name. */
function selectUsableCommands(
  { kind, name }: LoadedPlugin,
  offered: readonly OfferedCommand[],
  notice: (text: Sentence) => void,
): readonly OfferedCommand[] {
  const isServers = (one: OfferedCommand): boolean => kind !== "own" && one.name.includes("__");
  for (const one of offered.filter(isServers)) notice(displayText("plugins.serverName", { name, command: one.name }));
  return offered.filter((one) => !isServers(one));
}

/** The opinion of all plugins about a call. A guard that can't answer has the user asked. */
export function createCallOpinion(answers: readonly Answered<"beforeCommand">[]): CallOpinion {
  const deny = answers.flatMap((one) => explainDecision(one, "plugins.deny", ({ deny }) => deny))[0];
  const ask = answers.flatMap((one) =>
    "failed" in one && one.plugin.isGuard
      ? [displayText("plugins.guardFailed", { name: one.plugin.name, why: one.failed })]
      : explainDecision(one, "plugins.ask", (answer) => answer.ask),
  )[0];
  const changed = answers.findLast((one) => "answer" in one && one.answer.args !== undefined);
  const args = changed && "answer" in changed ? changed.answer.args : undefined;
  return {
    ...omitUndefined({ deny, ask }),
    ...(args && changed ? { args: { by: changed.plugin.name, args } } : {}),
    add: answers.flatMap((one) => quotePluginAnswer(one, "beforeCommand", ({ add }) => add)),
  };
}

/** A hook that sees a text and may rewrite it or add to it. */
export type TextHook = "afterCommand" | "beforeDelegate" | "afterDelegate";

/** A text with a plugin's words in place of it or after it; undefined if there are none. */
export function applyTextAnswer(text: string, hook: TextHook, one: Answered<TextHook>): string | undefined {
  if (!("answer" in one)) return undefined;
  const { replace, add } = one.answer;
  if (!replace && !add) return undefined;
  const mark = replace ? `rewritten by ${describePlugin(one.plugin)}` : describePlugin(one.plugin);
  const words = quoteAsData(limitHookText(replace ?? add ?? "", hook), mark);
  return replace ? words : `${text}\n${words}`;
}

/** A plugin's answer to a question for the user. Throws if it has none. */
export function quoteUserAnswer(one: Answered<"answer">): string {
  if (!("answer" in one) || !one.answer.answer) throw new Error("no answer");
  return quoteAsData(one.answer.answer, `${describePlugin(one.plugin)}, which answered in the user's place`);
}

/** A plugin's text for the model, cut to the limit of the hook and quoted with the plugin's name. */
export function quotePluginAnswer<Name extends HookName>(
  one: Answered<Name>,
  hook: HookName,
  pick: (answer: HookAnswer<Name>) => string | undefined,
): readonly string[] {
  const text = "answer" in one ? pick(one.answer) : undefined;
  return text ? [quoteAsData(limitHookText(text, hook), describePlugin(one.plugin))] : [];
}

/** The source named in a quotation. A plugin's name can't end its own quotation. */
function describePlugin({ name }: LoadedPlugin): string {
  return `the plugin ${JSON.stringify(name)}`;
}

function explainDecision(
  one: Answered<"beforeCommand">,
  code: "plugins.deny" | "plugins.ask",
  pick: (answer: HookAnswer<"beforeCommand">) => string | undefined,
): readonly DisplayText[] {
  const why = "answer" in one ? pick(one.answer) : undefined;
  return why === undefined ? [] : [displayText(code, { name: one.plugin.name, why: cutText(why, 500) })];
}

function limitHookText(text: string, hook: HookName): string {
  const { tokens = 0 } = HOOKS[hook];
  return estimateTokens(text) <= tokens ? text : cutText(text, tokens * 3);
}
