/** A call of the script with its outcome, and how a model thinks aloud before it. */
export interface ScriptedStep {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly output: string;
  /** It reads, and so can run beside the call before it. */
  readonly joins?: boolean;
}

/** Plausible source text of a length, different for each seed. */
function source(seed: number, lines: number): string {
  return Array.from({ length: lines }, (_, at) => {
    const name = `${NAMES[(seed * 7 + at * 3) % NAMES.length]}${(seed + at) % 10}`;
    return `${at + 1}: export const ${name} = (${NAMES[(seed + at) % NAMES.length]}: string): string => ${name}.trim() + "${seed}";`;
  }).join("\n");
}

const NAMES = ["order", "total", "client", "invoice", "parse", "render", "limit", "amount", "schedule"] as const;
const FILES = Array.from({ length: 12 }, (_, at) => `src/${NAMES[at % NAMES.length]}/part-${at}.ts`);

function fileOf(round: number): string {
  return FILES[round % FILES.length] ?? "";
}

/** Ten calls of a round of work: look, read, search, change, run, check. */
function round(at: number): readonly ScriptedStep[] {
  const file = fileOf(at);
  const other = fileOf(at + 5);
  return [
    {
      name: "list_files",
      args: { directory: file.slice(0, file.lastIndexOf("/")) },
      output: Array.from({ length: 14 }, (_, n) => `${file.slice(0, -4)}${n}.ts`).join("\n"),
    },
    { name: "read_file", args: { filename: file }, output: source(at, 45), joins: true },
    { name: "read_file", args: { filename: other }, output: source(at + 50, 30), joins: true },
    {
      name: "search_files",
      args: { query: `${NAMES[at % NAMES.length]}3`, directory: "src" },
      output: Array.from({ length: 9 }, (_, n) => `${fileOf(n)}:${n * 7 + 3}: ${source(at + n, 1).slice(3)}`).join(
        "\n",
      ),
      joins: true,
    },
    {
      name: "edit_file",
      args: {
        filename: file,
        edits: [
          {
            search: source(at, 3)
              .split("\n")
              .map((line) => line.slice(3))
              .join("\n"),
            replace: `${source(at + 9, 4).replace(/^\d+: /gm, "")}`,
          },
        ],
      },
      output: `Edited ${file}: 1 edit, lines 1 to 4.`,
    },
    {
      name: "execute_shell",
      args: { command: `npm test -- ${file.replace(".ts", ".test.ts")}` },
      output: `exit code 1 after 2.4 s\n${Array.from({ length: 16 }, (_, n) => `  ${n === 9 ? "1) fails" : "✔ passes"} when ${NAMES[n % NAMES.length]} ${n} is given (${n + 2}ms)`).join("\n")}\n  AssertionError: expected '${at}' to equal '${at + 1}' at ${file}:12:9`,
    },
    { name: "read_file", args: { filename: file }, output: source(at + 1, 45) },
    {
      name: "edit_file",
      args: { filename: file, edits: [{ search: `total${at}.trim()`, replace: `total${at}.trimEnd()` }] },
      output: `Edited ${file}: 1 edit, line 12.`,
    },
    {
      name: "execute_shell",
      args: { command: `npm test -- ${file.replace(".ts", ".test.ts")}` },
      output: `exit code 0 after 2.2 s\n${Array.from({ length: 10 }, (_, n) => `  ✔ passes when ${NAMES[n % NAMES.length]} ${n} is given (${n + 2}ms)`).join("\n")}\n  10 passing`,
    },
    { name: "git_status", args: {}, output: `On branch main, 2 files changed:\nM ${file}\nM ${other}` },
  ];
}

/** A hundred calls of ordinary work on a code base. */
export const SCRIPT: readonly ScriptedStep[] = Array.from({ length: 10 }, (_, at) => round(at)).flat();

/** The five classic thoughts before a call, as long as models write them. */
export function fullThoughts({ name, args }: ScriptedStep, at: number): Readonly<Record<string, string>> {
  const [first = "the work"] = Object.values(args).filter((value) => typeof value === "string");
  return {
    text: `The last outcome shows what I need about ${first}. I now want to use ${name}, so that I know whether the change in round ${Math.floor(at / 10)} holds for the other callers as well.`,
    reasoning: `Using ${name} on ${first} is the shortest way to find out, because everything else depends on it, and guessing would cost more steps later than looking does now.`,
    plan: `- [x] look at the files of round ${Math.floor(at / 10)}\n- [ ] change ${first}\n- [ ] run the tests\n- [ ] look at the next file`,
    criticism: "I may rely too much on the names of the files; I should check the callers before I change a signature.",
    speak: `I am looking at ${first} next.`,
  };
}

/** The one short thought before a call. */
export function shortThought({ name, args }: ScriptedStep): string {
  const [first = "the work"] = Object.values(args).filter((value) => typeof value === "string");
  return `Next I use ${name} on ${first}, since everything else depends on it.`;
}
