import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ProcessMark } from "../processes/process-tree.ts";
import { chooseShellProgram, findOnPath, isExecutable, quoteWord } from "../processes/programs.ts";
import type { OutputMarks } from "./marked-output.ts";

/** The system's programs for running lines in terminals. */
export interface PosixPrograms {
  /** Path of bash. */
  readonly bash: string;
  /** The program that copies the terminal's output: its path, and its origin. */
  readonly script: { readonly path: string; readonly kind: "util-linux" | "bsd" };
  /** The kernel shows a process its own environment at `/proc/self/environ`. */
  readonly hasProc: boolean;
}

/** Dependencies of the runner for one line. */
export interface PosixRunnerOptions extends PosixPrograms {
  /** The line's private folder. */
  readonly folder: string;
  readonly marks: OutputMarks;
  /** Carried by each of the line's processes. */
  readonly mark: ProcessMark;
}

/** Keeps programs from paging and from opening editors. Colors and prompts stay, since a person is there. */
const QUIET: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "cat",
  EDITOR: "false",
  VISUAL: "false",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
};

/** Variables that would run code in each shell, and the editor's own. */
const REMOVED = ["BASH_ENV", "ENV", "PROMPT_COMMAND", "VSCODE_PREVENT_SHELL_HISTORY"];

/** The argument of the runner's inner stage. No label is like it. */
const INSIDE = "--inside";

/** Longer labels are cut. */
const MAX_LABEL = 80;

/** Characters that mean themselves between single quotes in every shell, and that disturb no shell's reports to its terminal. */
const LABEL = /^[A-Za-z0-9_./][\w ./@%+=:,"&|<>;*?$#~-]*$/;

/**
 * The text that starts a folder's runner in any shell. A label after it lets the terminal's own lists and headers name the line. It's never
 * read: what runs is the folder's line.
 */
export function formatRunnerStart(bash: string, folder: string, shown: string): string {
  const label = shown.length <= MAX_LABEL ? shown : `${shown.slice(0, MAX_LABEL)} ...`;
  return `${bash} -p ${folder}/run${LABEL.test(label) ? ` '${label}'` : ""}`;
}

/**
 * A bash script that runs a folder's line in a terminal. It has two stages: outside, in the user's terminal, and inside, in the terminal
 * whose output is copied. `-p` keeps the environment's functions out of each stage, and they are removed for all child processes. `control`
 * receives `begin PID`, `code N` and its own end. The line's terminal stays until `dismissal` is read, because closing it would end some
 * processes and hide that they were left. Pipes are opened for reading and writing, since that never waits for another program.
 */
export function buildPosixRunner({ bash, folder, marks, mark, script, hasProc }: PosixRunnerOptions): string {
  const self = `${quoteWord(bash)} -p ${quoteWord(`${folder}/run`)}`;
  const [name = "", value = ""] = mark.variable.split("=");
  return `# Runs one command line of AutoGPT that its user approved. It is deleted afterward.
folder=${quoteWord(folder)}
case "$1" in
${INSIDE})
  trap ':' INT QUIT
  trap '' TSTP
  exec 4>&2 2>/dev/null 5<>"$folder/dismissal"
  (
    exec 2>&4 4>&- 5>&-
    printf 'begin %s\\n' "\${BASHPID:-$(exec /bin/sh -c 'echo $PPID')}" 1<>"$folder/control" || exit 1
    IFS= read -r -d '' line 2>/dev/null <"$folder/line"
    IFS= read -r -d '' cwd 2>/dev/null <"$folder/cwd"
    [ -n "$line" ] || exit 1
    if ! cd -- "$cwd"; then
      printf 'gone\\n' 1<>"$folder/control"
      exit 1
    fi
    if [ -n "$AUTOGPT_SHELL" ]; then SHELL=$AUTOGPT_SHELL; else unset SHELL; fi
    unset AUTOGPT_SHELL OLDPWD ${REMOVED.join(" ")}
    export ${formatAssignments({ ...QUIET, [name]: value })}
    ulimit -S -q ${mark.limit} 2>/dev/null
    printf '%s' ${quoteWord(marks.begin)}
    exec ${quoteWord(bash)} -p -c -- "$line"
  )
  code=$?
  printf '%s' ${quoteWord(marks.end)}
  printf 'code %s\\n' "$code" 1<>"$folder/control"
  IFS= read -r -t 60 _ <&5
  ;;
*)
  IFS= read -r -d '' title 2>/dev/null <"$folder/title"
  exec 3<>"$folder/control" 4<>"$folder/output" || exit 1
  printf '%s' "$title"
  without=()
  while IFS= read -r ${hasProc ? "-d '' " : ""}variable; do
    case "$variable" in BASH_FUNC_*) without+=(-u "\${variable%%=*}") ;; esac
  done ${hasProc ? "</proc/self/environ" : "< <(/usr/bin/env)"}
  [ "\${#without[@]}" -eq 0 ] || without=(/usr/bin/env "\${without[@]}")
  AUTOGPT_SHELL=$SHELL SHELL=/bin/sh \${without[@]+"\${without[@]}"} ${formatScriptCall(script, folder, self)} 3>&- 4>&-
  ;;
esac
`;
}

function formatScriptCall({ path, kind }: PosixRunnerOptions["script"], folder: string, self: string): string {
  const output = quoteWord(`${folder}/output`);
  const inside = `${self} ${INSIDE}`;
  return kind === "bsd"
    ? `${quoteWord(path)} -q -F ${output} ${inside}`
    : `${quoteWord(path)} -q -f -c ${quoteWord(`exec ${inside}`)} ${output}`;
}

function formatAssignments(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${quoteWord(value)}`)
    .join(" ");
}

const ANSWER_MS = 1500;

/** The programs that were found, by the path of `script`. */
const known = new Map<string, Promise<PosixPrograms | undefined>>();

/** Finds bash, and the `script` program, which copies a terminal's output. Undefined if one is missing. */
export async function findRunnerPrograms(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<PosixPrograms | undefined> {
  const { name, path: bash } = chooseShellProgram(env, platform);
  const script = platform === "darwin" ? "/usr/bin/script" : findOnPath(["script"], env, platform);
  if (name !== "bash" || script === undefined || !isExecutable(script)) return undefined;
  const finding = known.get(script) ?? checkPrograms(bash, script, platform);
  known.set(script, finding);
  return finding;
}

async function checkPrograms(
  bash: string,
  script: string,
  platform: NodeJS.Platform,
): Promise<PosixPrograms | undefined> {
  if (platform === "darwin") return { bash, script: { path: script, kind: "bsd" }, hasProc: false };
  const asked = promisify(execFile)(script, ["--version"], { timeout: ANSWER_MS, env: { LC_ALL: "C" } });
  const { stdout } = await asked.catch(() => ({ stdout: "" }));
  if (!stdout.includes("util-linux")) return undefined;
  return { bash, script: { path: script, kind: "util-linux" }, hasProc: platform === "linux" };
}
