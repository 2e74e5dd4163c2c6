import { type Command, createPreparedCall, type Effect, type PreparedCall } from "../../src/core/commands/command.ts";
import type { Outcome } from "../../src/core/commands/outcome.ts";
import type { User } from "../../src/core/ports/approver.ts";

/** What the fake commands did, in order. */
export type Deeds = string[];

const TITLE = {
  type: "object",
  properties: {
    title: { type: "string", description: "the note's title" },
    text: { type: "string" },
  },
  required: ["title"],
  additionalProperties: false,
};

function noteCommand(
  name: string,
  effect: Effect,
  run: (args: Readonly<Record<string, unknown>>) => PreparedCall["run"],
  { asksUser, ...more }: Partial<Command> & Pick<PreparedCall, "asksUser"> = {},
): Command {
  return {
    name,
    description: `Does ${name}.`,
    parameters: TITLE,
    aliases: [],
    category: "notes",
    effect,
    prepare: async (args) =>
      createPreparedCall(effect, `${name} ${JSON.stringify(args)}`, run(args), asksUser ? { asksUser } : {}),
    ...more,
  };
}

/** Commands that read and write notes that exist only as deeds. `user` answers the questions. */
export function fakeCommands(deeds: Deeds, user?: User): Command[] {
  const note = (deed: string, outcome: Outcome): Outcome => {
    deeds.push(deed);
    return outcome;
  };
  return [
    noteCommand(
      "read_note",
      "read",
      ({ title }) =>
        async () =>
          note(`read ${title}`, { status: "done", output: `The note "${title}" is empty.` }),
      { aliases: ["open_note"], argumentAliases: { name: "title", heading: "title" } },
    ),
    noteCommand(
      "write_note",
      "write",
      ({ title, text }) =>
        async ({ accepted }) =>
          note(`write ${title}`, { status: "done", output: `Written: ${accepted ?? text ?? ""}` }),
    ),
    noteCommand("break_note", "write", () => async () => {
      throw new Error("the pen broke");
    }),
    noteCommand("wait_note", "run", ({ title }) => async ({ signal, output }) => {
      deeds.push(`wait ${title}`);
      output("waiting");
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }),
    noteCommand(
      "ask_user",
      "none",
      ({ title }) =>
        async ({ signal }) => {
          const answer = await user?.ask(String(title), signal);
          return note(`ask ${title}`, {
            status: "done",
            output: `The user answers: ${answer ?? "(nobody is there)"}`,
          });
        },
      { asksUser: true },
    ),
    noteCommand(
      "do_nothing",
      "none",
      () => async () => note("nothing", { status: "done", output: "Nothing was done." }),
    ),
    noteCommand(
      "task_complete",
      "finish",
      ({ title }) =>
        async () =>
          note("finish", { status: "finished", summary: String(title) }),
    ),
  ];
}

/** The fake commands, and one that reads a note under a name that may be called several times in a reply. */
export function readingCommands(deeds: Deeds): Command[] {
  const commands = fakeCommands(deeds);
  const reads = commands.filter(({ name }) => name === "read_note");
  return [...commands, ...reads.map((each) => ({ ...each, name: "read_file" }))];
}
