import type { PreparedCall, RunContext } from "../core/commands/command.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import type { Outcome } from "../core/commands/outcome.ts";

/** Called around each command that was approved. */
export interface CommandHook {
  /** Before the command runs. An outcome takes the command's place, so that it doesn't run. */
  before?(prepared: PreparedCall, running: RunContext): Promise<Outcome | undefined>;
  /** After the command. Returns the outcome that counts. */
  after?(prepared: PreparedCall, outcome: Outcome): Promise<Outcome>;
}

/** Commands with hooks around them: the first hook is asked first before a command, and last after it. */
export function withHooks(commands: CommandSet, hooks: readonly CommandHook[]): CommandSet {
  if (hooks.length === 0) return commands;
  return {
    ...commands,
    async run(prepared, running) {
      for (const hook of hooks) {
        const instead = await hook.before?.(prepared, running);
        if (instead) return instead;
      }
      let outcome = await commands.run(prepared, running);
      for (const hook of hooks.toReversed()) outcome = (await hook.after?.(prepared, outcome)) ?? outcome;
      return outcome;
    },
  };
}
