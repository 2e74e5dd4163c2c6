import { displayText } from "../../texts/display-text.ts";
import { isReason, UNKNOWN } from "../shell/reading.ts";
import { type Check, createExactCheck, createFlagCheck } from "./check.ts";
import { parseArguments } from "./flags.ts";

/** Variables that hold no secret. */
export const HARMLESS_VARIABLES = new Set(
  "HOME PWD OLDPWD USER LOGNAME SHELL PATH LANG LC_ALL TERM TZ HOSTNAME EDITOR TMPDIR UID EUID PPID RANDOM SECONDS LINENO BASH_VERSION ZSH_VERSION SHLVL OSTYPE MACHTYPE HOSTTYPE COLUMNS LINES VIRTUAL_ENV NODE_ENV ? # $ ! 0 * @ -".split(
    " ",
  ),
);

/** Commands that show information about the machine and the shell. */
export const SYSTEM_TOOLS: Readonly<Record<string, Check>> = {
  pwd: createFlagCheck("-L -P", { operands: "none" }),
  whoami: createExactCheck(""),
  id: createExactCheck("", "-u", "-g", "-G", "-un", "-gn", "-nu", "-ng", "-Gn"),
  groups: createExactCheck(""),
  hostname: createExactCheck("", "-s", "-f", "-i", "-I"),
  uname: createFlagCheck(
    "-a -m -n -o -p -r -s -v -i --all --kernel-name --kernel-release --machine --operating-system",
    { operands: "none" },
  ),
  arch: createExactCheck(""),
  nproc: createExactCheck("", "--all"),
  uptime: createExactCheck("", "-p", "-s"),
  date: (args) => {
    const read = parseArguments("-u -R -I? -d: --utc --universal --iso-8601? --rfc-email --rfc-3339= --date=", args);
    if (isReason(read)) return read;
    return read.operands.every(({ text }) => text.startsWith("+")) ? [] : displayText("safety.line.maySetClock");
  },
  cal: createExactCheck("", "*"),
  tty: createExactCheck("", "-s"),
  locale: createExactCheck("", "-a"),
  getconf: createExactCheck("*"),
  free: createExactCheck("", "-h", "-m", "-g", "-b", "-k", "-t", "-ht"),
  lscpu: createExactCheck(""),
  lsblk: createExactCheck("", "-f", "-a"),
  vmstat: createExactCheck("", "-s"),
  mount: createExactCheck(""),
  ps: createExactCheck(
    "",
    "aux",
    "ax",
    "-e",
    "-f",
    "-A",
    "-ef",
    "-eF",
    "-aux",
    "a",
    "x",
    "-u",
    "-p *",
    "-C *",
    "-eo pid,comm",
    "-eo pid,cmd",
    "-eo pid,ppid,comm",
    "-eo pid,ppid,cmd",
    "-eo pid,user,comm",
    "-o pid,comm",
    "-o pid,cmd",
  ),
  pgrep: createFlagCheck("-a -f -l -n -o -c -x -i -u:", { operands: "text" }),
  jobs: createExactCheck("", "-l", "-p"),
  which: createFlagCheck("-a", { operands: "text" }),
  whereis: createFlagCheck("-b -m -s", { operands: "text" }),
  type: createFlagCheck("-a -t -p -P", { operands: "text" }),
  command: (args) =>
    /^-[vV]$/.test(args[0]?.text ?? "")
      ? createFlagCheck("-v -V", { operands: "text" })(args)
      : displayText("safety.line.runsAnotherCommand"),
  printenv: (args) =>
    args.length > 0 && args.every(({ text }) => HARMLESS_VARIABLES.has(text))
      ? []
      : displayText("safety.line.showsEnvironmentVariables"),
  sleep: createExactCheck("*"),
  exit: createExactCheck("", "*"),
  test: (args) =>
    checkTestUses(
      args.map(({ text }) => text),
      args,
    ),
  "[": createBracketTestCheck("]"),
  "[[": createBracketTestCheck("]]"),
  ss: createFlagCheck("-t -u -l -n -p -a -4 -6 -x -s -H", { operands: "none" }),
  ip: createExactCheck("a", "addr", "address", "addr show", "a show", "link", "link show", "route", "route show", "r"),
};

/** Tests of files, texts and plain numbers. `-v` isn't among them, because it evaluates a name that may hold a command. */
const TESTS = new Set(
  "-e -f -d -r -w -x -s -L -h -z -n -b -c -p -S -O -G -N -k -u -g -ef -nt -ot = == != < > -eq -ne -lt -le -gt -ge ! -a -o ( )".split(
    " ",
  ),
);

function createBracketTestCheck(end: string): Check {
  return (args) => {
    const inside = args.slice(0, -1);
    const words = inside.map(({ text }) => text);
    return args.at(-1)?.text === end ? checkTestUses(words, inside) : displayText("safety.line.unfinishedTest");
  };
}

function checkTestUses(words: readonly string[], args: Parameters<Check>[0]): ReturnType<Check> {
  const operators = words.filter((word) => /^-[A-Za-z]+$/.test(word));
  if (operators.some((word) => !TESTS.has(word))) return displayText("safety.line.unknownTest");
  if (words.includes("=~")) return displayText("safety.line.regularExpressionTest");
  const numbers = words.filter((_, at) =>
    [words[at - 1], words[at + 1]].some((near) => /^-(?:eq|ne|lt|le|gt|ge)$/.test(near ?? "")),
  );
  if (numbers.some((word) => !/^-?\d+$/.test(word) && word !== UNKNOWN))
    return displayText("safety.line.comparesNonNumber");
  const files = args.filter((_, at) => /^-[edfrwxsLhbcpSOGNkug]$|^-(ef|nt|ot)$/.test(words[at - 1] ?? ""));
  if (files.some(({ text }) => text.includes(UNKNOWN))) return displayText("safety.line.testsRuntimeFile");
  return files.map((word) => ({ word, reveals: false }));
}
