import type { ApprovalRequest } from "../../src/core/ports/approver.ts";
import { judge } from "../../src/safety/policy/policy.ts";
import { readDeny, readRules } from "../../src/safety/policy/rules.ts";
import { readShellFacts } from "../../src/safety/policy/shell-facts.ts";
import type { ShellDialect } from "../../src/safety/shell/reading.ts";
import { readerOf } from "../unit/safety/readers.ts";
import { context, emptyDisk, request } from "../unit/safety/support.ts";
import { median, percentile } from "./memory/clock.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

// What a decision costs, for ordinary and for hostile input of up to 100 KB. `npm run bench policy`; milliseconds.

const ROUNDS = 9;
const AT_ONCE = 10;
const MOST_MS = 5;
const KB = 1024;

const SETTINGS = {
  rules: readRules([
    { command: "execute_shell", prefix: "git status", action: "allow" },
    { command: "*", glob: "*secret*plan*", action: "refuse" },
    { command: "write_to_file", path: "src/**/*.ts", action: "allow" },
    { command: "execute_shell", glob: "*a*a*a*a*b", action: "ask" },
  ]),
  deny: readDeny(["*(a/**/b/**/c)", "execute_shell(git push*)", "*(*x*y*z*)"]),
};

/** Lines of about a size, each bad in its own way. */
function lines(size: number): Readonly<Record<string, string>> {
  const times = (text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);
  return {
    words: `ls ${times("src/a ")}`,
    "short words": `echo ${times("a ")}`,
    pipes: `${times("ls|")}ls`,
    lists: times("ls && "),
    parentheses: times("("),
    substitutions: times("$(echo "),
    quotes: `echo ${times("'\"")}`,
    backquotes: times("`"),
    brackets: times("[["),
    redirections: times("<("),
    "here-documents": times("cat <<A\n"),
    braces: `echo ${times("{a,")}`,
    dollars: times("$"),
    backslashes: times("\\"),
    functions: times("f(){ f|f& };"),
    wrappers: times("sudo env nice "),
    assignments: times("x=a$x; x+=$x$y;"),
    variables: `x=${"a".repeat(60)}; cp ${times("$x")}`,
    "values of variables": `for f in ${times("a b c d ")}; do cp $f$f $f; done`,
    loops: times("for a in b c; do "),
    "loops to their end": `${"for a in b c; do ".repeat(8)}${times("ls $a;")}${" done;".repeat(8)}`,
    "sets of characters": `cat ${times("[a]")}`,
    "a long path": `cat ${times("../")}`,
    stars: `cat ${times("*a")}`,
    sed: `sed '${times("s/a/b/;")}' x`,
    awk: `awk '${times("{print $1 > 2}")}' x`,
    noise: times("a$(b`c'd\"e{f}[g]|h;i&j<k>l\\m#n!o*p?q~r=s\n"),
  };
}

/** One decision from the command line to the verdict: reading, looking (on a disk that answers at once), judging. */
async function decideLine(line: string, dialect: ShellDialect): Promise<void> {
  const knowledge = { dialect, reader: await readerOf(dialect) };
  const ground = { folder: "/home/u/app", folders: ["/home/u/app"], platform: "linux" };
  const shell = await readShellFacts(line, knowledge, ground, emptyDisk);
  const asked = request("execute_shell", { command_line: line }, { effect: "run", shell: line, cwd: "/home/u/app" });
  judge(asked, context({ ...SETTINGS, readOnlyShell: true, untrusted: [{ kind: "web", name: "x" }], shell }));
}

/** Median and late milliseconds of the processor for one decision, so that whatever else runs on the machine does not count; its clock ticks slowly, so several are timed at once. */
async function timed(decide: () => Promise<void>): Promise<readonly [number, number]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.threadCpuUsage();
    for (let once = 0; once < AT_ONCE; once++) await decide();
    const { user, system } = process.threadCpuUsage(start);
    times.push((user + system) / 1000 / AT_ONCE);
  }
  return [median(times), percentile(times, 0.95)];
}

async function measureLines(dialect: ShellDialect): Promise<void> {
  const rows: string[][] = [];
  let worst = 0;
  for (const size of [KB, 4 * KB, 8 * KB - 300, 100 * KB]) {
    for (const [name, line] of Object.entries(lines(size))) {
      const [middle, late] = await timed(() => decideLine(line, dialect));
      worst = Math.max(worst, middle);
      if (middle > 1) rows.push([`${name}, ${size} characters`, middle.toFixed(2), late.toFixed(2)]);
    }
  }
  table(`Command lines of ${dialect} that take more than 1 ms`, ["line", "median", "p95"], rows);
  check(`slowest median of a ${dialect} line`, worst, MOST_MS);
}

/** Calls of other commands with texts and paths of up to 100 KB. */
async function measureCalls(): Promise<void> {
  const long = "a/".repeat(50 * KB);
  const path = `/home/u/app/${"a/../".repeat(8000)}x`;
  const touches = [{ path, how: "write" as const }];
  const calls: Readonly<Record<string, ApprovalRequest>> = {
    "100 KB of text": request(
      "write_to_file",
      { filename: "a.ts", contents: long },
      { effect: "write", touches: [{ path: "/home/u/app/a.ts", how: "write" }] },
    ),
    "a path of 40,000 characters": request(
      "write_to_file",
      { filename: path, contents: "" },
      { effect: "write", touches },
    ),
    "10,000 edits": request(
      "edit_file",
      { edits: Array.from({ length: 10_000 }, () => ({ search: "a", replace: "b" })) },
      { effect: "write", touches: [{ path: "/home/u/app/a.ts", how: "write" }] },
    ),
    "1,000 files": request(
      "read_file",
      {},
      {
        effect: "read",
        touches: Array.from({ length: 1000 }, (_, index) => ({
          path: `/home/u/app/src/${index}.ts`,
          how: "read" as const,
        })),
      },
    ),
  };
  const rows: string[][] = [];
  for (const [name, call] of Object.entries(calls)) {
    const [middle, late] = await timed(async () => void judge(call, context(SETTINGS)));
    rows.push([name, middle.toFixed(2), late.toFixed(2)]);
    check(name, middle, MOST_MS);
  }
  table("Other calls", ["call", "median", "p95"], rows);
}

await measureLines("bash");
await measureLines("powershell");
await measureCalls();
exitWithChecks();
