import { displayText } from "../../texts/display-text.ts";
import { countToolsTokens, estimateTokens } from "../context/tokens.ts";
import type { CommandSpec } from "../ports/model.ts";
import { isSmallWindow } from "../reply/formats.ts";
import { createToolDefinition, renderCommandLine } from "./command-forms.ts";
import type { CommandSet, WithheldCommand } from "./command-set.ts";
import { COMMAND, findTraits, listCommandNames, RARE_RANK } from "./command-traits.ts";

/** Prompts offer tools of servers up to this number, and up to this share of the window or so many tokens. */
const MOST_TOOLS = 40;
const MOST_TOOL_TOKENS = 8_000;
const TOOL_SHARE = 1 / 10;

/**
 * Splits a run's commands into those that prompts offer and those that only `find_tools` describes. The latter are all server tools if
 * there are too many for the window, except those that the user pinned. 0 means an unknown window.
 */
export function splitDeferredTools<Offered extends CommandSpec & { readonly isDeferrable?: true }>(
  commands: readonly Offered[],
  contextWindow: number,
): { readonly offered: readonly Offered[]; readonly behind: readonly Offered[] } {
  const tools = commands.filter(({ isDeferrable }) => isDeferrable);
  const room = contextWindow > 0 ? Math.min(contextWindow * TOOL_SHARE, MOST_TOOL_TOKENS) : MOST_TOOL_TOKENS;
  const isFew = (): boolean => tools.reduce((sum, spec) => sum + countSpecTokens(spec, contextWindow), 0) <= room;
  if (tools.length <= MOST_TOOLS && isFew()) return { offered: commands, behind: [] };
  return { offered: commands.filter(({ isDeferrable }) => !isDeferrable), behind: tools };
}

/** The commands of a prompt, and the others. */
interface CommandSelection {
  readonly offered: readonly CommandSpec[];
  /** Commands that `find_tools` adds to the offer. */
  readonly behind: readonly CommandSpec[];
  /** Commands that the model can't use. */
  readonly withheld: readonly WithheldCommand[];
}

/** A prompt's head takes at most this share of the window; without commands it has about `REST_OF_HEAD` tokens. */
const HEAD_SHARE = 1 / 4;
const REST_OF_HEAD = 800;

/** Found commands take at most this share of the window. */
const FOUND_SHARE = 1 / 8;

/**
 * Selects the commands for a window; 0 means an unknown window, which fits all. `found` are names that `find_tools` has added. The
 * choice depends on nothing else, so it stays the same from step to step.
 */
export function selectFittingCommands(
  specs: readonly CommandSpec[],
  contextWindow: number,
  found: readonly string[] = [],
  isLean = false,
): CommandSelection {
  if (isLean) return selectLeanCommands(specs, contextWindow);
  const canFind = specs.some(({ name }) => name === COMMAND.findTools);
  const fitting = selectFittingNames(specs, contextWindow, canFind);
  const others = specs.filter(({ name }) => !fitting.has(name));
  if (!canFind || (others.length === 0 && !specs.some(({ name }) => name === COMMAND.callTool))) {
    const why = displayText("trouble.noRoomInWindow", { count: contextWindow });
    return {
      offered: specs.filter(({ name }) => fitting.has(name) && name !== COMMAND.findTools),
      behind: [],
      withheld: others.map(({ name }) => ({ name, why })),
    };
  }
  const added = selectFoundCommands(others, contextWindow, found);
  return {
    offered: [...specs.filter(({ name }) => fitting.has(name)), ...added],
    behind: others.filter((spec) => !added.includes(spec)),
    withheld: [],
  };
}

/** Selects the few commands for a small local model, and commands of others, which the user has added, as far as they fit. */
function selectLeanCommands(specs: readonly CommandSpec[], contextWindow: number): CommandSelection {
  const own = specs.filter(({ name }) => findTraits(name)?.isLean).map(omitOptional);
  const others = specs.filter(({ name }) => findTraits(name) === undefined);
  const fitting = selectFoundCommands(
    others,
    contextWindow,
    others.map(({ name }) => name),
  );
  const offered = [...own, ...fitting];
  const names = new Set(offered.map(({ name }) => name));
  const why = displayText("trouble.notForSmallModel");
  return {
    offered,
    behind: [],
    withheld: specs.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, why })),
  };
}

function omitOptional(spec: CommandSpec): CommandSpec {
  const { properties = {}, required } = spec.parameters;
  const needed = new Set(Array.isArray(required) ? required : []);
  const kept = Object.entries(properties as object).filter(([name]) => needed.has(name));
  return { ...spec, parameters: { ...spec.parameters, properties: Object.fromEntries(kept) } };
}

/** Selects as many of the found commands as fit, at least the last one. The latest finds take precedence. */
function selectFoundCommands(
  others: readonly CommandSpec[],
  contextWindow: number,
  found: readonly string[],
): readonly CommandSpec[] {
  let left = contextWindow > 0 ? contextWindow * FOUND_SHARE : Number.POSITIVE_INFINITY;
  const specs = found.flatMap((name) => others.filter((spec) => spec.name === name));
  const tooMany = specs.findLastIndex((spec) => {
    left -= countSpecTokens(spec, contextWindow);
    return left < 0;
  });
  return specs.slice(Math.min(tooMany + 1, Math.max(0, specs.length - 1)));
}

/** The names of the groups that fit. Rarely used ones aren't among them if they can be found. */
function selectFittingNames(
  specs: readonly CommandSpec[],
  contextWindow: number,
  canFind: boolean,
): ReadonlySet<string> {
  const fitting = new Set<string>();
  let left = contextWindow > 0 ? contextWindow * HEAD_SHARE - REST_OF_HEAD : Number.POSITIVE_INFINITY;
  for (const { rank, group } of groupByRank(specs)) {
    const tokens = group.reduce((sum, spec) => sum + countSpecTokens(spec, contextWindow), 0);
    if ((tokens > left && rank !== 0) || (canFind && rank >= RARE_RANK)) break;
    left -= tokens;
    for (const { name } of group) fitting.add(name);
  }
  return fitting;
}

/** Commands of one rank, the most useful first. Each without a rank, such as one of a plugin, comes alone before the rare ones. */
function groupByRank(
  specs: readonly CommandSpec[],
): readonly { readonly rank: number; readonly group: readonly CommandSpec[] }[] {
  const groups = Map.groupBy(specs, ({ name }) => findTraits(name)?.rank ?? name);
  return [...groups]
    .map(([key, group]) => ({ rank: typeof key === "number" ? key : RARE_RANK - 1, group }))
    .toSorted((one, other) => one.rank - other.rank);
}

/** The commands that are found together with this one. */
export function listCompanions(name: string): readonly string[] {
  const rank = findTraits(name)?.rank ?? 0;
  return rank < RARE_RANK ? [name] : listCommandNames((traits) => traits.rank === rank);
}

/** The commands that a model with this window can use, at once or by way of `find_tools`. */
export function selectCommandsForWindow(
  { specs, withheld }: Pick<CommandSet, "specs" | "withheld">,
  contextWindow: number,
  isLean = false,
): Pick<CommandSet, "specs" | "withheld"> {
  const { offered, behind, withheld: others } = selectFittingCommands(specs, contextWindow, [], isLean);
  return { specs: [...offered, ...behind], withheld: [...withheld, ...others] };
}

function countSpecTokens(spec: CommandSpec, contextWindow: number): number {
  return isSmallWindow(contextWindow)
    ? estimateTokens(renderCommandLine(spec))
    : countToolsTokens([createToolDefinition(spec, "short")], estimateTokens);
}
