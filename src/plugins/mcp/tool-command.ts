import { dirname } from "node:path";
import type { Tool } from "@modelcontextprotocol/client";
import { waitUntilAborted } from "../../core/base/async.ts";
import { mapTexts } from "../../core/base/json.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { decodeEscapes } from "../../core/base/uri-path.ts";
import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome, Source } from "../../core/commands/outcome.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { displayText } from "../../texts/display-text.ts";
import { formatArguments, runForeignAction } from "../foreign-command.ts";
import type { PluginRun } from "../plugin.ts";
import { convertResult } from "./results.ts";
import type { LinkUser, ServerLink } from "./server-link.ts";
import { createToolSpec, describeSeenTool, formatToolName } from "./tools.ts";

export interface ToolCommandParts {
  readonly link: ServerLink;
  readonly run: PluginRun & LinkUser;
  readonly isPinned: boolean;
  /** Why a tool can't be called now, as a sentence for the model; undefined if it can. */
  explainBlock(tool: Tool): Promise<string | undefined>;
}

/** A command that calls a tool with its definition at the time of the offer. */
export function createToolCommand(name: string, tool: Tool, parts: ToolCommandParts): Command {
  const { link, run, isPinned } = parts;
  const { server } = link;
  const { hash } = describeSeenTool(tool);
  const source: Source = { kind: "tool", name: `MCP server ${server.id}: ${formatToolName(tool.name)}` };
  const host = findHost(server.values.url);
  const findCurrentTool = (): Tool | undefined => link.tools?.find((one) => one.name === tool.name);
  const isSame = (now = findCurrentTool()): boolean => now !== undefined && describeSeenTool(now).hash === hash;
  const isDestructive = tool.annotations?.destructiveHint === true;
  return {
    name,
    aliases: [],
    category: "mcp",
    effect: "run",
    ...createToolSpec(server.id, tool),
    ...(isPinned ? {} : { isDeferrable: true }),
    prepare: (args, { signal }) =>
      runForeignAction<PreparedCall>(source, signal, async () => {
        const copied = findCopyMention(args, run);
        if (copied !== undefined)
          return { status: "failed", error: explainOutsideCopy(server.id, copied), isInvalid: true };
        await waitUntilAborted(link.ensureConnection(run), signal);
        const now = findCurrentTool();
        if (!now) return createGoneOutcome(server.id, tool.name);
        const why =
          (await parts.explainBlock(now)) ?? (isSame(now) ? undefined : explainNewDefinition(name, now, server.id));
        if (why !== undefined) return { status: "failed", error: why, isInvalid: true };
        const text = formatArguments(args);
        return createPreparedCall(
          "run",
          `${source.name}\n${server.shown}\n${text}`,
          (running) =>
            runForeignAction<Outcome>(source, running.signal, async () => {
              if (!isSame()) return createChangedOutcome(name);
              const { signal: stopped, output } = running;
              const result = await link.call({ tool: now, args, run, signal: stopped, reportOutput: output });
              return convertResult(result, { run, running, source, tool: tool.name });
            }),
          {
            tool: { name: formatToolName(tool.name), owner: server.id, text, hasOnlyArguments: true },
            ...(host === undefined ? {} : { hosts: [host] }),
            ...(isDestructive ? { warns: displayText("mcp.destructive", { server: server.id }) } : {}),
            fresh: async () => isSame(),
          },
        );
      }),
  };
}

function findHost(url: string | undefined): string | undefined {
  return url === undefined ? undefined : URL.parse(url)?.host;
}

/**
 * An argument that contains the path of the run's copy. A server outside the sandbox could load files from there that the run has written.
 */
function findCopyMention(
  args: Readonly<Record<string, unknown>>,
  { folder, origin, copies: all = folder }: PluginRun,
): string | undefined {
  if (origin === undefined || origin === folder) return undefined;
  const copies = [folder, dirname(folder), all].map((path) => normalizeSlashes(path).toLowerCase());
  let named: string | undefined;
  mapTexts(args, (text) => {
    if (copies.some((path) => listReadableForms(text).some((form) => form.includes(path)))) named ??= text;
    return text;
  });
  return named;
}

/** A text and its decoded form as an address, both with slashes and in lower case. */
function listReadableForms(text: string): readonly string[] {
  const plain = normalizeSlashes(text)
    .toLowerCase()
    .replaceAll(/\/(?:\.?\/)+/g, "/");
  return [plain, decodeEscapes(plain)];
}

function explainOutsideCopy(server: string, text: string): string {
  return `The MCP server "${server}" works in the user's own folder, outside of this run's sandbox, so it can't be given files of the copy: ${cutText(escapeInvisible(text), 200)}. Name files relative to the workspace folder, or pass their content.`;
}

function createGoneOutcome(server: string, tool: string): Outcome {
  return {
    status: "failed",
    error: `The MCP server "${server}" has no tool "${formatToolName(tool)}" any more. find_tools lists those that it has.`,
    isInvalid: true,
  };
}

function createChangedOutcome(name: string): Outcome {
  return {
    status: "failed",
    error: `${name} was not called: its definition has just changed. Call it again.`,
  };
}

/** The user has agreed to the new definition, but the model hasn't seen it. */
function explainNewDefinition(name: string, now: Tool, server: string): string {
  const { description, offered } = createToolSpec(server, now);
  return `${name} was not called: its definition has changed. ${description} Its arguments now: ${JSON.stringify(offered)}. Call it with call_tool.`;
}
