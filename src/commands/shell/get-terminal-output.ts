import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { TerminalCommand, UserTerminal, UserTerminals } from "../../core/ports/terminals.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, getNumberArgument, getTextArgument } from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { shortenOutput } from "./output-text.ts";

/** Commands that an outcome shows by default, and at most. */
const SHOWN = 3;
const MOST = 20;

const NO_TERMINALS = "The user's terminals can be read only in VS Code. Use execute_shell.";

/** Reads what the user's commands printed in a terminal that the user shares. */
export function getTerminalOutput(terminals: UserTerminals | undefined): Command {
  return {
    name: "get_terminal_output",
    aliases: ["read_terminal", "terminal_output", "terminal_last_command"],
    category: "shell",
    effect: "read",
    traits: { titles: [{ code: "ReadTerminal" }], rank: 140, isPolled: true, needsEditor: true },
    description:
      "Reads the user's latest terminal commands with their output. `@terminal:NAME` in a message names a terminal.",
    parameters: createObjectSchema({
      terminal: { type: "string", minLength: 1, maxLength: 200 },
      commands: { type: "integer", minimum: 1, maximum: MOST },
    }),
    argumentAliases: {
      name: "terminal",
      id: "terminal",
      terminal_name: "terminal",
      count: "commands",
      n: "commands",
    },
    withheld: () => (terminals ? undefined : NO_TERMINALS),
    prepare: (args) => prepare(terminals, args),
  };
}

async function prepare(terminals: UserTerminals | undefined, args: Args): Promise<PreparedCall | Outcome> {
  if (!terminals) return createFailure(NO_TERMINALS);
  const terminal = findTerminal(getTextArgument(args, "terminal"), terminals.list());
  if (typeof terminal === "string") return createFailure(terminal, displayText("results.noTerminal"));
  const { label, isShared } = terminal;
  const count = getNumberArgument(args, "commands") ?? SHOWN;
  return createPreparedCall(
    "read",
    isShared
      ? `Read the latest commands of the terminal "${label}".`
      : `Read the terminal "${label}": its last command if VS Code knows it, and what is run in it from now on, until you close it or take that back (Show What Is Allowed).`,
    async () => {
      terminals.share(label);
      return createTerminalOutcome(label, (await terminals.read(label))?.slice(-count));
    },
    {
      ...(isShared
        ? {}
        : {
            onlyByUser: { rule: "user-terminal", reason: `It reads your terminal "${label}", from now on.` },
          }),
      fresh: async () => terminals.list().some((one) => one.label === label && one.isShared === isShared),
    },
  );
}

/** Finds the terminal with a name, or the active one without a name. Returns a sentence if there is none. */
function findTerminal(name: string | undefined, all: readonly UserTerminal[]): UserTerminal | string {
  if (all.length === 0) return "The user has no terminal open. Use execute_shell.";
  const wanted = name?.replace(/^@?(?:terminal:?)?/, "") ?? "";
  const [shared, ...others] = all.filter(({ isShared }) => isShared);
  const found =
    wanted === ""
      ? shared && others.length === 0
        ? shared
        : all.find(({ isActive }) => isActive)
      : all.find(({ label }) => label.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const labels = all.map(({ label }) => JSON.stringify(label)).join(", ");
  return `There is no terminal "${wanted}". The user's terminals: ${labels}.`;
}

/** The text of a terminal may come from anywhere, so it counts as untrusted. */
function createTerminalOutcome(label: string, commands: readonly TerminalCommand[] | undefined): Outcome {
  if (!commands)
    return createFailure(
      `The terminal "${label}" is closed. Use execute_shell.`,
      displayText("timeline.terminalClosed"),
    );
  if (commands.length === 0)
    return createFailure(
      `Nothing is known of the terminal "${label}" yet. Its commands are read from now on, if its shell reports them: ask the user to run the command again, or run it with execute_shell.`,
      displayText("results.terminalUnknown"),
    );
  const summary = displayText("results.terminalCommands", { count: commands.length });
  const output = commands.map(formatTerminalCommand).join("\n\n");
  return { ...createSuccess(output, summary), source: { kind: "tool", name: `terminal ${label}` } };
}

function formatTerminalCommand({ line, cwd, state, code, output }: TerminalCommand): string {
  const end = state === "running" ? "still running" : code === undefined ? "ended" : `exit code ${code}`;
  const where = cwd === "" ? end : `${end}, in ${cwd}`;
  const shown = shortenOutput(output, code !== undefined && code !== 0).text;
  return `$ ${line}\n[${where}]\n${shown || "It printed nothing."}`;
}
