import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { getErrorMessage } from "../core/base/errors.ts";
import { isObject, tryJson } from "../core/base/json.ts";
import { escapeInvisible, findNearestName, isMisspelled } from "../core/base/text.ts";
import { COMMAND } from "../core/commands/command-traits.ts";
import { isSourceKind, type Source } from "../core/commands/outcome.ts";
import { chooseShellProgram } from "../node/processes/programs.ts";
import { createPolicyJudge, JUDGE_MODES, type JudgeMode, type PolicyJudge } from "../runtime/policy-judge.ts";
import type { CallToJudge, Explanation } from "../safety/policy/explain.ts";
import { createShellLanguageLoader } from "../safety/shell/load.ts";
import { printHelp } from "./exit-code.ts";
import { type Flag, type Flags, readFlags } from "./flags.ts";
import { createHeadlessHost } from "./host.ts";
import { collectSettingSources, getBaseFolder } from "./options.ts";
import { createOutput, type Output } from "./output.ts";
import { resolveWorkspaceFolder } from "./place.ts";
import type { Subcommand, Surroundings } from "./session.ts";
import { findRuleOrigin, type LoadedSettings, loadSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";
import { loadGrammar } from "./workers.ts";

const FLAGS = {
  shell: { value: "SHELL", help: "the shell of command lines (else this machine's)" },
  mode: { value: "MODE", help: "the approvals under which calls are judged" },
} as const satisfies Readonly<Record<string, Flag>>;

/** Shells, with the names for loading their languages. */
const SHELLS = { bash: "bash", zsh: "zsh", powershell: "PowerShell", cmd: "cmd" } as const;

const USAGE = `Usage: autogpt explain-policy [options] ["LINE"]

Prints the verdict on a shell line, with the rule, the reason and the file that decides. Runs nothing.
Without a line it reads calls from standard input, one JSON object per line, each judged alone:
  {"id": 1, "command": "${COMMAND.shell}", "args": {"command_line": "git push"}, "sources": ["web"]}
and prints {"id", "verdict", "rule", "reason"} for each; a verdict is allow, ask, refuse or error.

  --workspace DIR    the workspace folder (else the current one)
  --shell SHELL      ${Object.keys(SHELLS).join(", ")} (else this machine's shell)
  --mode MODE        ask (default), readOnlyShell (lines that only read run),
                     continuous, grant (the call is approved in advance), plan or
                     isolated
  --set NAME=VALUE   a setting; --settings FILE for several
  --yes-to A,B       commands that are always approved
  --json             print the verdict on LINE as JSON
`;

/** Judges a command line, or the calls on standard input. Throws a sentence if the command line is wrong. */
export const explainPolicy: Subcommand = (...call) =>
  runExplainCommand(...call).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    throw new Error(`${error.message}\nautogpt explain-policy --help lists the options.`);
  });

const runExplainCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, FLAGS);
  if (flags.has("help")) return printHelp(USAGE, around);
  const [line, more] = flags.rest;
  if (more !== undefined) throw new UsageError("Put the command line in quotes, as one argument.");
  const workspace = await resolveWorkspaceFolder(resolve(getBaseFolder(env), flags.findValue("workspace") ?? "."));
  const loaded = await loadSettings(workspace, collectSettingSources(flags, env));
  for (const remark of loaded.remarks) around.stderr.write(`${escapeInvisible(remark)}\n`);
  const closed = new AbortController();
  const signal = AbortSignal.any([around.signal, closed.signal]);
  const out = createOutput(around.stdout, () => closed.abort());
  const judge = await createJudge(flags, { ...around, signal }, { workspace, loaded });
  if (line === undefined) await explainCalls(judge, { ...around, signal }, out);
  else out.writeLine(renderExplanation(await explainLine(judge, line, loaded), flags.has("json")));
  await out.waitUntilFlushed();
  return signal.aborted ? { kind: "stopped" } : { kind: "done" };
};

async function createJudge(
  flags: Flags<keyof typeof FLAGS | "yes-to">,
  { data, signal, stderr }: Surroundings,
  { workspace, loaded }: { readonly workspace: string; readonly loaded: LoadedSettings },
): Promise<PolicyJudge> {
  const { settings } = loaded;
  const shellName = parseShell(flags.findValue("shell"));
  const host = createHeadlessHost({
    workspace,
    settings,
    keys: loaded.keys,
    data,
    plugins: [],
    yesTo: flags.listValues("yes-to").flatMap((names) => names.split(",").map((name) => name.trim())),
    person: undefined,
    warn: (text) => void stderr.write(`${escapeInvisible(text)}\n`),
  });
  const processes = {
    ...host.processes,
    loadShellLanguage: createShellLanguageLoader(shellName, loadGrammar),
  };
  const mode = parseMode(flags.findValue("mode"));
  return createPolicyJudge({ ...host, processes }, { folder: workspace, mode, shellName, signal });
}

function parseShell(name: string | undefined): string {
  if (name === undefined) return chooseShellProgram().name;
  const found = Object.entries(SHELLS).find(([shell]) => shell === name.toLowerCase());
  if (!found) throw new UsageError(`--shell takes ${Object.keys(SHELLS).join(", ")}, not "${name}".`);
  return found[1];
}

function parseMode(name = "ask"): JudgeMode {
  const plain = name.toLowerCase().replaceAll("-", "");
  const found = JUDGE_MODES.find((mode) => mode.toLowerCase() === plain);
  if (!found) throw new UsageError(`--mode takes ${JUDGE_MODES.join(", ")}, not "${name}".`);
  return found;
}

async function explainLine(judge: PolicyJudge, line: string, loaded: LoadedSettings): Promise<Explanation> {
  const call = { name: COMMAND.shell, args: { command_line: line } };
  const explanation = await judge({ call, sources: [] });
  return { ...explanation, file: findRuleOrigin(explanation.rule, loaded) ?? explanation.file };
}

function renderExplanation({ verdict, rule, reason, file }: Explanation, isJson: boolean): string {
  if (isJson) return JSON.stringify({ verdict, rule, reason, file });
  return [`${verdict}: ${reason}`, `rule: ${rule}`, `decided in: ${file}`].map(escapeInvisible).join("\n");
}

/** Number of calls judged concurrently, because each waits for the disk. */
const AT_ONCE = 8;

/** Judges calls on standard input until it ends or the output is closed. Verdicts keep the order of the calls. */
async function explainCalls(
  judge: PolicyJudge,
  { stdin, signal }: Pick<Surroundings, "stdin" | "signal">,
  out: Output,
): Promise<void> {
  if (signal.aborted) return;
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
  const printed: Promise<void>[] = [];
  for await (const text of lines) {
    const answer = answerLine(judge, text);
    const before = printed.at(-1);
    printed.push(
      Promise.all([answer, before]).then(async ([line]) => {
        out.writeLine(line);
        await out.waitUntilFlushed();
      }),
    );
    if (printed.length > AT_ONCE) await printed.shift();
    if (signal.aborted) return;
  }
  await printed.at(-1);
}

/** The verdict on one line of input, as a line of output. */
async function answerLine(judge: PolicyJudge, text: string): Promise<string> {
  const { id, call } = readCallLine(text);
  const { verdict, rule, reason } =
    typeof call === "string" ? createFailure("invalid-line", call) : await judge(call).catch(judgeFailure);
  return JSON.stringify({ id, verdict, rule, reason });
}

function judgeFailure(error: unknown): Pick<Explanation, "verdict" | "rule" | "reason"> {
  return createFailure("judge-error", getErrorMessage(error));
}

function createFailure(rule: string, reason: string): Pick<Explanation, "verdict" | "rule" | "reason"> {
  return { verdict: "error", rule, reason };
}

/** One line of input: its id, and the call or a sentence on why there is none. */
interface InputLine {
  /** As given; null when the line has none. */
  readonly id: unknown;
  readonly call: CallToJudge | string;
}

const FIELDS = ["id", "command", "args", "sources"] as const;
const LONGEST_LINE = 1_000_000;

/** Reads a line of the form `{"id", "command", "args", "sources"?}`. */
function readCallLine(text: string): InputLine {
  if (text.trim() === "") return { id: null, call: "The line is empty." };
  if (text.length > LONGEST_LINE) return { id: null, call: `The line is longer than ${LONGEST_LINE} characters.` };
  const read = tryJson(text);
  if (!isObject(read)) return { id: null, call: "The line isn't a JSON object." };
  const { id = null, command, args = {}, sources = [] } = read;
  const misspelled = Object.keys(read).find(isMisspelledField);
  if (misspelled !== undefined)
    return {
      id,
      call: `There is no field "${misspelled}". Did you mean "${findNearestName(misspelled, FIELDS)}"?`,
    };
  if (typeof command !== "string" || command === "") return { id, call: `"command" must be the name of a command.` };
  if (!isObject(args)) return { id, call: `"args" must be an object.` };
  const known = parseSources(sources);
  return { id, call: typeof known === "string" ? known : { call: { name: command, args }, sources: known } };
}

/** True for a misspelled field, which would change the verdict unnoticed. Other unknown fields are ignored. */
function isMisspelledField(name: string): boolean {
  return !FIELDS.some((field) => field === name) && isMisspelled(name, FIELDS);
}

function parseSources(sources: unknown): readonly Source[] | string {
  if (!Array.isArray(sources)) return `"sources" must be a list, like ["web"].`;
  const strange = sources.find((kind) => typeof kind !== "string" || !isSourceKind(kind));
  if (strange !== undefined) return `${JSON.stringify(strange)} isn't a kind of source. ${KINDS}`;
  return sources.filter((kind) => isSourceKind(kind)).map((kind) => ({ kind, name: kind }));
}

const KINDS = "The kinds are web, download, tool, ignored-file, memory and agent.";
