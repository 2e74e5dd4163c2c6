import { escapeInvisible } from "../core/base/text.ts";
import { type Command, createPreparedCall } from "../core/commands/command.ts";
import type { Outcome, Source } from "../core/commands/outcome.ts";
import { sha256 } from "../disk/sha256.ts";
import { displayText } from "../texts/display-text.ts";
import { formatArguments, runForeignAction } from "./foreign-command.ts";
import { cleanForeignWords, parseForeignSchema } from "./foreign-schema.ts";
import type { FoundPlugin, LoadedPlugin, PluginRun, PluginSource } from "./plugin.ts";

/** A tool that the editor offers to agents. */
export interface EditorTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object | undefined;
}

/** An extension whose manifest declares its tools. */
export interface ToolOwner {
  readonly id: string;
  readonly name: string;
  /** It's part of the editor. */
  readonly isBuiltIn: boolean;
  readonly tools: readonly string[];
}

/** The tools of an editor. */
export interface ToolPort {
  list(): readonly EditorTool[];
  listOwners(): readonly ToolOwner[];
  /** Calls a tool without asking for approval, and returns its text. */
  invoke(name: string, args: object, signal: AbortSignal): Promise<string>;
}

/**
 * The editor's own tools to offer. Others edit, read and run like the agent's commands, but without its file protection, undo and review.
 * The rest serves the editor's own agent.
 */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  // Its documentation for writers of extensions.
  "copilot_getVSCodeAPI",
  // Searches the code of a public repository.
  "copilot_githubRepo",
  // Searches the marketplace, and installs nothing.
  "vscode_searchExtensions_internal",
]);

const OWN_GROUP = "vscode";
/** The editor's names for tools of MCP servers; the beginning of the server's name follows. */
const MCP_TOOL = /^mcp_([^_]+)_/;
/** Valid names of commands. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

interface ToolGroup {
  readonly id: string;
  readonly name: string;
  readonly tools: EditorTool[];
}

/** The tools of other extensions, and of the MCP servers that the editor runs, as plugins that are off until the user turns them on. */
export function createEditorToolPlugins(port: ToolPort): PluginSource {
  return {
    find: async () => groupTools(port.list(), port.listOwners()).map((group) => createFoundGroup(group, port)),
  };
}

/** Groups tools by owner. Of the editor's own tools, only those in the table are included. */
function groupTools(tools: readonly EditorTool[], owners: readonly ToolOwner[]): readonly ToolGroup[] {
  const groups = new Map<string, ToolGroup>();
  const inOrder = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const tool of inOrder) {
    const of = findGroup(tool, owners);
    if (!of || !NAME.test(tool.name)) continue;
    const group = groups.get(of.id) ?? { ...of, tools: [] };
    group.tools.push(tool);
    groups.set(of.id, group);
  }
  return [...groups.values()];
}

function findGroup({ name }: EditorTool, owners: readonly ToolOwner[]): Pick<ToolGroup, "id" | "name"> | undefined {
  const owner = owners.find(({ tools }) => tools.includes(name));
  if (owner && !owner.isBuiltIn) return { id: owner.id, name: escapeInvisible(owner.name) };
  const server = owner ? undefined : MCP_TOOL.exec(name)?.[1];
  if (server !== undefined) return { id: `mcp_${server}`, name: `MCP: ${escapeInvisible(server)}` };
  return OWN_TOOLS.has(name) ? { id: OWN_GROUP, name: "VS Code" } : undefined;
}

function createFoundGroup({ id, name, tools }: ToolGroup, port: ToolPort): FoundPlugin {
  const shown = tools.map(describeTool).join("\n\n");
  return {
    id,
    kind: "tools",
    from: "user",
    name,
    description: "",
    adds: tools.map((tool) => tool.name),
    isolation: displayText("plugins.toolsIsolation"),
    consent: { hash: sha256(tools.map(encodeDefinition).join("\n")), shown },
    isOptional: true,
    load: async (run) => createLoadedGroup({ id, name, tools }, port, run),
  };
}

/** The exact definition of the tool: texts that look alike to the user can still differ. */
function encodeDefinition({ name, description, inputSchema }: EditorTool): string {
  return JSON.stringify([name, description, inputSchema]);
}

/** Everything about a tool that the model would learn. */
function describeTool({ name, description, inputSchema }: EditorTool): string {
  const schema = inputSchema === undefined ? "" : `\n${escapeInvisible(JSON.stringify(inputSchema, undefined, 1))}`;
  return `${escapeInvisible(name)}: ${escapeInvisible(description)}${schema}`;
}

function createLoadedGroup({ id, name, tools }: ToolGroup, port: ToolPort, run: PluginRun): LoadedPlugin {
  const commands = tools.map((tool) => createEditorCommand(tool, name, port, run));
  return {
    id,
    name,
    from: "user",
    kind: "tools",
    hooks: [],
    isGuard: false,
    listCommands: () => commands,
    call: async () => ({}),
    close: async () => undefined,
  };
}

function createEditorCommand(tool: EditorTool, group: string, port: ToolPort, { redact }: PluginRun): Command {
  const { name, description, inputSchema } = tool;
  const source: Source = { kind: "tool", name: `${group}: ${name}` };
  const agreed = encodeDefinition(tool);
  const isSame = (): boolean => port.list().some((now) => now.name === name && encodeDefinition(now) === agreed);
  return {
    name,
    aliases: [],
    category: "plugins",
    effect: "run",
    isDeferrable: true,
    description: `Tool in the editor, of ${group}. ${cleanForeignWords(description)}`,
    ...parseForeignSchema(inputSchema),
    prepare: async (args) => {
      if (!isSame())
        return {
          status: "failed",
          error: `${name} was not called: it's gone, or its definition has changed since the user agreed to it.`,
          isInvalid: true,
        };
      const text = formatArguments(args);
      return createPreparedCall(
        "run",
        `${group}: ${name}\n${text}`,
        ({ signal }) =>
          runForeignAction<Outcome>(source, signal, async () => {
            const output = redact(await port.invoke(name, args, signal)) || "(The tool returned nothing.)";
            return { status: "done", output, source };
          }),
        { fresh: async () => isSame(), tool: { name, owner: group, text, hasOnlyArguments: true } },
      );
    },
  };
}
