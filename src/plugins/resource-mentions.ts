import { runWithinTime } from "../core/base/async.ts";
import { isPlain, quoteAsData } from "../core/base/text.ts";
import { DisplayError, type DisplayText, displayText, getErrorText, writeInEnglish } from "../texts/display-text.ts";
import type { ListedPlugin, PluginCatalog } from "./catalog.ts";
import type { PluginPlace } from "./plugin.ts";

/** The resources that a text mentions, and the problems in reading them. */
interface MentionedResources {
  /** Each is appended to the text, quoted as data. */
  readonly blocks: readonly string[];
  readonly problems: readonly DisplayText[];
}

/** Time limit for starting a server and reading one of its resources, in milliseconds. */
const READ_MS = 15_000;
const MOST_RESOURCES = 10;

/** `@server:uri`, without the punctuation of the sentence around it. */
const MENTION = /(?<=^|[\s([{"'`])@([^\s@:/]+):(\S*[^\s.,;:!?)\]}"'`>])/g;
/** Kinds of context whose mentions look like a server's. */
const TAKEN: ReadonlySet<string> = new Set(["file", "folder", "terminal", "url", "prompt", "issue"]);

/**
 * Reads the server resources that the user's text mentions, from allowed servers only. If a resource can't be read, the reason takes its
 * place, so the task can still start.
 */
export async function readMentionedResources(
  typed: string,
  plugins: Pick<PluginCatalog, "list">,
  place: PluginPlace,
  limitMs = READ_MS,
): Promise<MentionedResources> {
  const found = [...typed.matchAll(MENTION)].filter(([, name = ""]) => !TAKEN.has(name.toLowerCase()));
  const mentions = new Map(found.map(([mention, name = "", uri = ""]) => [mention, { mention, name, uri }]));
  if (mentions.size === 0) return { blocks: [], problems: [] };
  const servers = (await plugins.list(place)).filter(({ plugin }) => plugin.resources);
  const wanted = [...mentions.values()]
    .map((one) => ({ ...one, server: servers.find(({ plugin }) => isNamed(plugin.id, one.name)) }))
    // Other words may look like a mention, but hardly with an address.
    .filter(({ server, uri }) => server || /^[a-z][\w+.-]*:\/\//i.test(uri));
  const read = await Promise.all(wanted.map((one, index) => readResourceBlock(one, index, limitMs)));
  return {
    blocks: read.map(({ block }) => block),
    problems: read.flatMap(({ problem }) => (problem ? [problem] : [])),
  };
}

/** Time limit for listing resources while a text box waits, in milliseconds. */
const LIST_MS = 1_000;
const MOST_OFFERED = 20;

/** Completes a partly typed mention with resources, once it has a colon. Asks only servers that are already connected. */
export async function suggestResources(
  typed: string,
  plugins: Pick<PluginCatalog, "list">,
  place: PluginPlace,
): Promise<readonly string[]> {
  const name = /^([^\s@:/]+):/.exec(typed)?.[1];
  if (name === undefined || TAKEN.has(name.toLowerCase())) return [];
  const listed = await plugins.list(place);
  const server = listed.find(({ plugin }) => plugin.resources && isNamed(plugin.id, name));
  if (server?.state !== "on") return [];
  const { signal } = new AbortController();
  const known = await runWithinTime(
    LIST_MS,
    signal,
    async () => (await server.plugin.resources?.listKnownAddresses()) ?? [],
  ).catch(() => []);
  return known
    .map((uri) => `${name}:${uri}`)
    .filter((text) => isPlain(text) && !/\s/.test(text) && text.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, MOST_OFFERED);
}

/** Names may contain spaces, which mentions write as hyphens. */
function isNamed(id: string, name: string): boolean {
  return id.replaceAll(" ", "-").toLowerCase() === name.toLowerCase();
}

interface Mentioned {
  readonly mention: string;
  readonly name: string;
  readonly uri: string;
  readonly server: ListedPlugin | undefined;
}

async function readResourceBlock(
  mentioned: Mentioned,
  index: number,
  limitMs: number,
): Promise<{ readonly block: string; readonly problem?: DisplayText }> {
  const { mention, name, uri } = mentioned;
  const signal = AbortSignal.timeout(limitMs);
  const formatBlock = (text: string): string =>
    `${mention}:\n${quoteAsData(text, `the MCP server "${name}", resource ${uri}`)}`;
  try {
    if (index >= MOST_RESOURCES) throw new DisplayError(displayText("mcp.manyResources", { most: MOST_RESOURCES }));
    return { block: formatBlock(await readResourceText(mentioned, signal)) };
  } catch (error) {
    const why = signal.aborted
      ? displayText("mcp.resourceLate", { name, seconds: limitMs / 1000 })
      : getErrorText(error);
    const problem = displayText("mcp.resourceNotRead", { mention, why });
    return { block: formatBlock(writeInEnglish(problem)), problem };
  }
}

async function readResourceText({ name, uri, server }: Mentioned, signal: AbortSignal): Promise<string> {
  const { plugin, state, problem } = server ?? {};
  if (!plugin?.resources) throw new DisplayError(displayText("mcp.noServer", { name }));
  if (problem !== undefined) throw new DisplayError(problem);
  if (state !== "on") throw new DisplayError(displayText("mcp.notAllowed", { name }));
  return plugin.resources.read(uri, signal);
}
