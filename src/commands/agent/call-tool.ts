import { isObject } from "../../core/base/json.ts";
import type { Command } from "../../core/commands/command.ts";
import { createObjectSchema, createOlderNameTable, getTextArgument } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";

/** Calls a tool that `find_tools` has described. Such a call becomes the tool's own before anyone checks, shows or runs it. */
export function callTool(): Command {
  return {
    name: "call_tool",
    aliases: ["use_tool", "invoke_tool", "run_tool"],
    category: "user",
    effect: "none",
    traits: { titles: [], role: "callTool", rank: 0, mayRunExtensions: true },
    description: "Calls a tool that find_tools described, such as one of an MCP server.",
    parameters: createObjectSchema(
      {
        name: { type: "string", minLength: 1, description: "the tool's name" },
        args: { type: "object", description: "its arguments, as find_tools described them" },
      },
      ["name"],
    ),
    argumentAliases: createOlderNameTable({
      name: "tool tool_name command",
      args: "arguments input parameters params tool_args",
    }),
    standsFor: ({ name, args, ...beside }) =>
      typeof name === "string" ? { name, args: isObject(args) ? args : beside } : undefined,
    prepare: async (args) =>
      createFailure(
        `There is no tool "${getTextArgument(args, "name") ?? ""}". Find the tools that there are with find_tools.`,
      ),
  };
}
