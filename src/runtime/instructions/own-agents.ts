import { omitUndefined } from "../../core/base/objects.ts";
import { cutText, escapeInvisible, findNearestName } from "../../core/base/text.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import type { Run } from "../../core/events/run.ts";
import type { RunState } from "../../core/events/run-state.ts";
import type { Profile } from "../../core/prompt/profile.ts";
import type { Instructions, Source } from "../../schema/run-values.ts";
import type { Settings } from "../../schema/settings.ts";
import { getFieldText, parseFrontMatter } from "./front-matter.ts";
import type { OwnCommand } from "./own-commands.ts";
import { type OwnFilePlaces, readOwnPlaces } from "./own-places.ts";
import { grantWishes, type OwnWishes, readWishes } from "./own-wishes.ts";

/** A next agent that an agent's file suggests for the end of its work. */
export interface NextAgent {
  readonly label: string;
  readonly agent: string;
  readonly prompt: string;
  /** The file that suggests it. */
  readonly file: string;
}

/** An agent of the user or the repository. */
export interface OwnAgent {
  readonly name: string;
  readonly file: string;
  readonly by?: "user";
  readonly description: string;
  /** How it works, in its author's words. */
  readonly body: string;
  readonly wishes: OwnWishes;
  readonly nextAgents: readonly NextAgent[];
}

/** The agents of the user and the repository, and why others were left out. */
export interface OwnAgents {
  readonly agents: readonly OwnAgent[];
  readonly unread: readonly string[];
}

const MAX_DESCRIPTION = 300;
const MAX_BODY = 32 * 1024;
const MOST_NEXT_AGENTS = 4;
const MAX_LABEL = 60;
const MAX_PROMPT = 4_000;
const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._ -]{0,63}$/u;

/** Reads all agents. */
export async function readOwnAgents(places: OwnFilePlaces): Promise<OwnAgents> {
  const findName = (text: string): string | undefined => {
    const name = getFieldText(parseFrontMatter(text), "name").replace(/\s+/g, "-");
    return NAME.test(name) ? name : undefined;
  };
  const { found, unread } = await readOwnPlaces("agents", places, findName);
  const agents = found.map(({ name, file, text, by }): OwnAgent => {
    const matter = parseFrontMatter(text.replaceAll("\r\n", "\n"));
    const description = getFieldText(matter, "description").replace(/\s+/g, " ");
    return {
      name,
      file,
      ...omitUndefined({ by }),
      description: escapeInvisible(cutText(description, MAX_DESCRIPTION)),
      body: cutBody(matter.body.trim(), file),
      wishes: readWishes(matter),
      nextAgents: readNextAgents(matter.records?.get("handoffs") ?? [], file),
    };
  });
  return { agents, unread };
}

function cutBody(body: string, file: string): string {
  return body.length <= MAX_BODY ? body : `${body.slice(0, MAX_BODY)}\n(${file} is longer; the rest is omitted.)`;
}

/** Reads suggestions of a next agent. Whether to send them at once is the user's decision, so `send` counts for nothing. */
function readNextAgents(records: readonly ReadonlyMap<string, string>[], file: string): readonly NextAgent[] {
  return records
    .flatMap((record) => {
      const agent = record.get("agent")?.trim() ?? "";
      if (agent === "") return [];
      const label = escapeInvisible(cutText((record.get("label") ?? "").replace(/\s+/g, " ").trim(), MAX_LABEL));
      return [{ agent, label, prompt: cutText(record.get("prompt")?.trim() ?? "", MAX_PROMPT), file }];
    })
    .slice(0, MOST_NEXT_AGENTS);
}

/** Finds an agent by its name in any case. */
export function findOwnAgent(name: string, agents: readonly OwnAgent[]): OwnAgent | undefined {
  return agents.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
}

/** A rule's file that can be an agent's. */
const AGENT_FILE = /(?:^|\/)agents\/|\.(?:agent|chatmode)\.md$/;

/** The agents that a finished run's own agent suggests, as far as they exist. Files are read only if the run may have an agent. */
export async function findNextAgents(
  { head, state }: Pick<Run, "head" | "state">,
  load: () => Promise<readonly OwnAgent[]>,
): Promise<readonly NextAgent[]> {
  const files = new Set(head.rules.map(({ file }) => file).filter((file) => AGENT_FILE.test(file)));
  if (state.end?.reason !== "finished" || head.isAgent || files.size === 0) return [];
  const agents = await load();
  const own = agents.find(({ file }) => files.has(file));
  return (own?.nextAgents ?? []).filter(({ agent }) => findOwnAgent(agent, agents));
}

const MAX_NAMED_FILES = 50;

/** The end of a run, for the next agent; undefined while it hasn't finished. */
export function describeEarlierRun(
  { id, end }: Pick<RunState, "id" | "end">,
  files: readonly string[],
): { readonly source: string; readonly text: string } | undefined {
  if (end?.reason !== "finished") return undefined;
  const changed = files.length === 0 ? [] : [`Changed files: ${files.slice(0, MAX_NAMED_FILES).join(", ")}`];
  return { source: `the run ${id}`, text: [end.summary, ...changed].join("\n\n") };
}

/** Why there is no such agent, as a sentence. */
export function describeMissingAgent(name: string, agents: readonly Pick<OwnAgent, "name">[]): string {
  const names = agents.map((one) => one.name);
  const near = findNearestName(name, names);
  const shown = escapeInvisible(cutText(name, MAX_LABEL));
  if (names.length === 0) return `There is no agent "${shown}": neither the folder nor you have files of agents.`;
  return `There is no agent "${shown}".${near === undefined ? "" : ` Did you mean "${near}"?`} There are: ${names.join(", ")}.`;
}

/** The parts of a run that come from an agent's file. */
export interface AgentStart {
  readonly profile: Pick<Profile, "name" | "role" | "commands" | "model">;
  /** Its instructions, quoted like rules; none if the file has no text. */
  readonly instructions: readonly Instructions[];
  /** Wishes that were left out, each as a sentence. */
  readonly remarks: readonly string[];
}

/** Makes the start of a run from an agent. */
export function createAgentStart(agent: OwnAgent, model: Settings["model"]): AgentStart {
  const { name, file, by, description, body, wishes } = agent;
  const { commands, model: known, remarks } = grantWishes(wishes, file, model);
  return {
    profile: {
      name,
      role: description === "" ? `an agent as ${file} describes it` : description,
      ...omitUndefined({ commands: commands && [...commands], model: known }),
    },
    instructions: body === "" ? [] : [{ file, text: body, ...omitUndefined({ by }) }],
    remarks,
  };
}

/** The parts of a run that come from an agent and from the command that its task begins with: each narrows it further. */
export interface OwnStart extends Omit<AgentStart, "profile"> {
  readonly profile: Partial<Profile>;
}

/** Combines both; a command's model counts before the agent's. */
export function createOwnStart(
  agent: OwnAgent | undefined,
  command: Pick<OwnCommand, "file" | "wishes"> | undefined,
  model: Settings["model"],
): OwnStart {
  const own = agent && createAgentStart(agent, model);
  const wished = command && grantWishes(command.wishes, command.file, model);
  const commands = limitCommands(own?.profile.commands, wished?.commands);
  return {
    profile: { ...own?.profile, ...omitUndefined({ commands, model: wished?.model ?? own?.profile.model }) },
    instructions: own?.instructions ?? [],
    remarks: [...(own?.remarks ?? []), ...(wished?.remarks ?? [])],
  };
}

const CATEGORIES: ReadonlySet<string> = new Set(
  "agents code files git mcp media memory plugins python shell user web".split(" "),
);

/** The commands that both allow; undefined for all. Beside categories, names narrow nothing. */
export function limitCommands(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): string[] | undefined {
  if (!one || !other) return one || other ? [...(one ?? other ?? [])] : undefined;
  if (one.some((name) => CATEGORIES.has(name))) return [...one];
  const both = one.filter((name) => other.includes(name));
  // An empty list would stand for all commands.
  return both.length > 0 ? both : [COMMAND.finish];
}

/** Names that stand for VS Code's own agents in a prompt file. */
const BUILT_IN: ReadonlySet<string> = new Set(["", "agent", "ask", "edit", "plan"]);

/** The agent that a command names; undefined for the usual one. */
export function findCommandAgent(
  { agent }: Pick<OwnCommand, "agent">,
  agents: readonly OwnAgent[],
): OwnAgent | undefined {
  return BUILT_IN.has(agent.toLowerCase()) ? undefined : findOwnAgent(agent, agents);
}

/** The untrusted sources of runs. A run of which nothing is known may have read anything. */
export function listRunsSources(
  ids: readonly string[],
  find: (id: string) => { readonly sources: readonly Source[] } | undefined,
): readonly Source[] {
  return ids.flatMap((id) => find(id)?.sources ?? [{ kind: "agent", name: `of an earlier run (${id})` }]);
}
