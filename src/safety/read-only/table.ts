import { displayText } from "../../texts/display-text.ts";
import type { ShellDialect } from "../shell/reading.ts";
import { type Check, createEitherCheck, createExactCheck } from "./check.ts";
import { FILE_TOOLS, SEARCH_TOOLS } from "./files.ts";
import { find } from "./find.ts";
import { checkGit } from "./git.ts";
import { findCmdletCheck, WINDOWS_PROGRAMS } from "./powershell.ts";
import { PROGRAMS, VERSIONS } from "./programs.ts";
import { checkAwk, checkJq, checkSed } from "./script-filters.ts";
import { SYSTEM_TOOLS } from "./system.ts";

const rejectAlways: Check = () => displayText("safety.line.notReadOnly");

const READERS: Readonly<Record<string, Check>> = {
  ...FILE_TOOLS,
  ...SEARCH_TOOLS,
  ...SYSTEM_TOOLS,
  ...PROGRAMS,
  find,
  sed: checkSed,
  awk: checkAwk,
  gawk: checkAwk,
  mawk: checkAwk,
  jq: checkJq,
  git: checkGit,
};

/** Tools whose help shows only how they are used. */
const HELPED = { ...FILE_TOOLS, ...SEARCH_TOOLS };
const HELP = createExactCheck("--help", "--version");

/** Commands by name, each also with the arguments that show its version. */
const TABLE: Readonly<Record<string, Check>> = {
  ...VERSIONS,
  ...Object.fromEntries(Object.entries(READERS).map(([name, check]) => [name, allowVersionFlag(name, check)])),
};

function allowVersionFlag(name: string, check: Check): Check {
  const version = Object.hasOwn(VERSIONS, name) ? VERSIONS[name] : undefined;
  const help = Object.hasOwn(HELPED, name) ? [HELP] : [];
  return createEitherCheck(...help, ...(version ? [version] : []), check);
}

/** True for a program that can be read-only with more arguments than those that show its version. */
export function mayOnlyRead(name: string): boolean {
  return Object.hasOwn(READERS, name);
}

/** Programs that are the same under every shell. */
const ANYWHERE: Readonly<Record<string, Check>> = {
  ...VERSIONS,
  ...PROGRAMS,
  ...WINDOWS_PROGRAMS,
  git: checkGit,
  rg: SEARCH_TOOLS.rg ?? rejectAlways,
};

/** The check of a command that can be read-only; undefined for any other. */
export function checkFor(name: string, dialect: ShellDialect): Check | undefined {
  if (dialect !== "powershell") return Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  const lower = name.toLowerCase().replace(/\.exe$/, "");
  return (
    findCmdletCheck(name) ??
    (Object.hasOwn(ANYWHERE, lower) ? rejectInnerQuotes(ANYWHERE[lower] ?? rejectAlways) : undefined)
  );
}

/** Windows PowerShell may split an argument at a quote inside it. */
function rejectInnerQuotes(check: Check): Check {
  return (args, input) =>
    args.some(({ text }) => /["\\]$|"/.test(text))
      ? displayText("safety.line.quoteInsideArgument")
      : check(args, input);
}
