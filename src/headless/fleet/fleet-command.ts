import { text } from "node:stream/consumers";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../fleet/key.ts";
import type { ProgramEnd } from "../exit-code.ts";
import { readFlags } from "../flags.ts";
import type { Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";

const USAGE = `Usage: autogpt fleet key create|export|import

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
export async function runFleetCommand(
  argv: readonly string[],
  _env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
): Promise<ProgramEnd> {
  const flags = readFlags(argv, {});
  if (flags.has("help")) {
    around.stdout.write(USAGE);
    return { kind: "done" };
  }
  const [name = "", what = "", ...more] = flags.rest;
  const action = name === "key" && Object.hasOwn(KEY_ACTIONS, what) ? KEY_ACTIONS[what] : undefined;
  if (!action || more.length > 0)
    throw new UsageError('"fleet" takes one of these: key create, key export, key import.');
  around.stdout.write(`${await action(around)}\n`);
  return { kind: "done" };
}
