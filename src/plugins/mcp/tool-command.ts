import type { Tool } from "@modelcontextprotocol/client";
import { untilAborted } from "../../core/base/async.ts";
import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome, Source } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { argumentsText, withErrorsOf } from "../foreign-command.ts";
import type { PluginRun } from "../plugin.ts";
import { resultOutcome } from "./results.ts";
import type { ServerLink } from "./server-link.ts";
import { plainToolName, seenTool, toolSpec } from "./tools.ts";

export interface ToolCommandParts {
  readonly link: ServerLink;
  readonly run: PluginRun;
  readonly isPinned: boolean;
  /** Why a tool can't be called now, as a sentence for the model; undefined if it can. */
  whyBlocked(tool: Tool): Promise<string | undefined>;
}

/** The command that calls a tool with the definition that it had when it was offered. */
export function toolCommand(name: string, tool: Tool, parts: ToolCommandParts): Command {
  const { link, run, isPinned } = parts;
  const { server } = link;
  const { hash } = seenTool(tool);
  const source: Source = { kind: "tool", name: `MCP server ${server.id}: ${plainToolName(tool.name)}` };
  const host = hostOf(server.values.url);
  const current = (): Tool | undefined => link.tools?.find((one) => one.name === tool.name);
  const isSame = (now = current()): boolean => now !== undefined && seenTool(now).hash === hash;
  const isDestructive = tool.annotations?.destructiveHint === true;
  return {
    name,
    aliases: [],
    category: "mcp",
    effect: "run",
    ...toolSpec(server.id, tool),
    ...(isPinned ? {} : { isDeferrable: true }),
    prepare: (args, { signal }) =>
      withErrorsOf<PreparedCall>(source, signal, async () => {
        await untilAborted(link.ready(), signal);
        const now = current();
        if (!now) return gone(server.id, tool.name);
        const why =
          (await parts.whyBlocked(now)) ?? (isSame(now) ? undefined : outdated(name, now, server.id));
        if (why !== undefined) return { status: "failed", error: why, isInvalid: true };
        return prepared(
          "run",
          `${source.name}\n${server.shown}\n${argumentsText(args)}`,
          ({ step, signal: stopped, output }) =>
            withErrorsOf<Outcome>(source, stopped, async () => {
              if (!isSame()) return changed(name);
              const result = await link.call({ tool: now, args, run: run.id, signal: stopped, output });
              return resultOutcome(result, { run, step, source });
            }),
          {
            ...(host === undefined ? {} : { hosts: [host] }),
            ...(isDestructive ? { warns: displayText("mcp.destructive", { server: server.id }) } : {}),
            fresh: async () => isSame(),
          },
        );
      }),
  };
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : URL.parse(url)?.host;
}

function gone(server: string, tool: string): Outcome {
  return {
    status: "failed",
    error: `The MCP server "${server}" has no tool "${plainToolName(tool)}" any more. find_tools lists those that it has.`,
    isInvalid: true,
  };
}

function changed(name: string): Outcome {
  return {
    status: "failed",
    error: `${name} was not called: its definition has just changed. Call it again.`,
  };
}

/** The user has agreed to the new definition, but the model hasn't seen it. */
function outdated(name: string, now: Tool, server: string): string {
  const { description, offered } = toolSpec(server, now);
  return `${name} was not called: its definition has changed. ${description} Its arguments now: ${JSON.stringify(offered)}. Call it with call_tool.`;
}
