import { text } from "node:stream/consumers";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../fleet/key.ts";
import { printHelp } from "../exit-code.ts";
import { readFlags } from "../flags.ts";
import type { Subcommand, Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";

const USAGE = `Usage: autogpt fleet list|show|watch|decide|say|raise|stop|fetch|remove|set-up [RUN] [--on PLACE]
       autogpt fleet run TASKS --on PLACE --report DIR [options]
       autogpt fleet key create|export|import

  list                    the runs in all places that you have used, or in that of --on: ssh:HOST, or temporal://HOST:7233
  show RUN                what has happened so far
  watch RUN               follow it, and answer what it asks
  decide RUN yes|no [WHY] answer the question that waits; anything else than yes or no is said to it
  say RUN WORDS           words for its next step
  raise RUN LIMIT=N ...   what it may spend in all, as in usd=5 steps=200; one that has used up a limit continues
  stop RUN                stop it there
  fetch RUN               bring its result here; "autogpt runs changes RUN" then shows it
  remove RUN              delete it there, once it has ended (--yes: doesn't ask)
  set-up --on ssh:HOST    bring AutoGPT and your key to a machine, after asking (--yes: doesn't ask)
  run TASKS               have many tasks done, one JSON object a line (-: from standard input); add --help
  --ssh-config FILE       use this file in place of ~/.ssh/config
  --workspace DIR         a folder in the repository of the run (the current one)
  --repository ADDRESS    with temporal://…: the repository through which runs travel (its remote origin)
  --json                  list and watch: one JSON object a line

  key create              make the key that your machines share; whoever has it can read your runs and
                          continue them
  key export              print it, to bring it to another machine
  key import              read it from standard input, so that no other program sees it

The key is in the file fleet-key of your data folder, which only you can read. Docs: docs/fleet.md
`;

type KeyAction = (around: Surroundings) => Promise<string>;

const KEY_ACTIONS: Readonly<Record<string, KeyAction>> = {
  create: async ({ data }) => `The key ${(await createFleetKey(data)).id} was made.`,
  export: ({ data }) => exportFleetKey(data),
  import: async ({ data, stdin, stderr }) => {
    if (stdin.isTTY) stderr.write("Paste the key and press Enter, then Ctrl+D.\n");
    return `The key ${(await importFleetKey(data, await text(stdin))).id} is here now.`;
  },
};

/** `autogpt fleet …`: the key that machines share. Throws `UsageError`. */
export const runFleetCommand: Subcommand = async (argv, env, around) => {
  if (argv[0] === "run") {
    const { runBatchCommand } = await import("../batch/run-batch.ts");
    return runBatchCommand(argv.slice(1), env, around);
  }
  const flags = readFlags(argv);
  if (flags.has("help")) return printHelp(USAGE, around);
  const [name = "", what = "", ...more] = flags.rest;
  if (name !== "key") {
    const { runPlacesCommand } = await import("./places-command.ts");
    return runPlacesCommand(flags, env, around);
  }
  const action = Object.hasOwn(KEY_ACTIONS, what) ? KEY_ACTIONS[what] : undefined;
  if (!action || more.length > 0) throw new UsageError('"fleet key" takes one of these: create, export, import.');
  around.stdout.write(`${await action(around)}\n`);
  return { kind: "done" };
};
