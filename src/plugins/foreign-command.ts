import { visible } from "../core/base/text.ts";
import { type Command, isPrepared, prepared } from "../core/commands/command.ts";
import type { Outcome } from "../core/commands/outcome.ts";
import type { OfferedCommand } from "../schema/plugin-values.ts";
import type { CommandRun } from "./plugin.ts";

/** Runs a command of a plugin and returns the text for the model. */
export type RunOffered = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  running: CommandRun,
) => Promise<string>;

/** A command that a plugin describes. Its card shows the plugin, the command and every argument. */
export function offeredCommand(plugin: string, offered: OfferedCommand, run: RunOffered): Command {
  const { name, description, parameters = { type: "object", properties: {} }, hosts, publishes } = offered;
  return {
    name,
    aliases: [],
    category: "plugins",
    effect: "run",
    description: `${description} (added by the plugin "${plugin}")`,
    parameters,
    prepare: async (args) => {
      const text = `Plugin ${plugin}: ${name}\n${visible(JSON.stringify(args, undefined, 2))}`;
      const more = { ...(hosts ? { hosts } : {}), ...(publishes ? { publishes } : {}) };
      return prepared(
        "run",
        text,
        async ({ signal, output }) => {
          const said = await run(name, args, { signal, output });
          return { status: "done", output: said, source: { kind: "tool", name: `${plugin}: ${name}` } };
        },
        more,
      );
    },
  };
}

/** A command that isn't ours: it always counts as one that runs programs, and its texts are quoted as data. */
export function foreignCommand(command: Command): Command {
  const source = { kind: "tool", name: command.name } as const;
  const quoted = (outcome: Outcome): Outcome =>
    outcome.status === "done" || outcome.status === "failed" ? { source, ...outcome } : outcome;
  return {
    ...command,
    effect: "run",
    async prepare(args, preparing) {
      const result = await command.prepare(args, preparing);
      if (!isPrepared(result)) return quoted(result);
      return { ...result, effect: "run", run: async (running) => quoted(await result.run(running)) };
    },
  };
}
