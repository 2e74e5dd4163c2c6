import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { type Check, createExactCheck, type Use } from "../read-only/check.ts";
import { createLiteralWord, type Word } from "../shell/reading.ts";
import type { Rows } from "./program.ts";

/** A cmdlet's parameters by full name, in lower case: with a value, without one, and with a path as value. */
interface Cmdlet {
  readonly values?: string;
  readonly switches?: string;
  readonly paths?: string;
  /** Operands are paths, and their content or only their names are shown; absent: operands are text. */
  readonly operands?: "contents" | "names";
  /** The first operand is a pattern, unless `-Pattern` is among the arguments. */
  readonly textFirst?: true;
}

/** Cmdlets that only read, with their aliases. */
const CMDLETS: Readonly<Record<string, Cmdlet>> = {
  "get-childitem ls dir gci": {
    values: "filter include exclude depth attributes",
    switches: "recurse force name file directory hidden readonly",
    paths: "path literalpath",
    operands: "names",
  },
  "get-content cat type gc": {
    values: "totalcount head first tail last readcount encoding delimiter",
    switches: "raw",
    paths: "path literalpath",
    operands: "contents",
  },
  "get-item gi": { switches: "force", paths: "path literalpath", operands: "names" },
  "test-path": { values: "pathtype", switches: "isvalid", paths: "path literalpath", operands: "names" },
  "resolve-path rvpa": { switches: "relative", paths: "path literalpath", operands: "names" },
  "get-filehash": { values: "algorithm", paths: "path literalpath", operands: "names" },
  "split-path": {
    switches: "leaf parent qualifier noqualifier leafbase extension isabsolute",
    values: "path",
  },
  "join-path": { values: "path childpath" },
  "get-location pwd gl": {},
  "get-date": { values: "format uformat" },
  "get-process gps ps": { values: "name id" },
  "get-command gcm": { values: "name commandtype", switches: "all" },
  "get-host": {},
  "get-culture": {},
  "write-output echo write": {},
  "write-host": { values: "foregroundcolor backgroundcolor", switches: "nonewline" },
  "measure-object measure": {
    switches: "line word character sum average maximum minimum ignorewhitespace",
    values: "property",
  },
  "select-object select": { values: "property first last skip index expandproperty", switches: "unique" },
  "sort-object sort": { values: "property", switches: "descending unique casesensitive" },
  "group-object group": { values: "property", switches: "noelement" },
  "format-table ft": { values: "property", switches: "autosize wrap hidetableheaders" },
  "format-list fl": { values: "property" },
  "format-wide fw": { values: "property column" },
  "out-string": { values: "width", switches: "stream" },
  "convertfrom-json": { switches: "ashashtable", values: "depth" },
  "convertto-json": { switches: "compress", values: "depth" },
  "get-member gm": { values: "name membertype" },
  "get-unique gu": { switches: "asstring" },
  "compare-object": { switches: "includeequal excludedifferent" },
  "out-null": {},
  "select-string sls": {
    values: "pattern context include exclude encoding",
    switches: "casesensitive simplematch quiet list notmatch allmatches raw",
    paths: "path literalpath",
    operands: "contents",
    textFirst: true,
  },
};

/** The arguments without the first operand, if that is the pattern to search for. */
function dropPattern(args: readonly Word[]): readonly Word[] {
  if (args.some(({ text }) => /^-pattern$/i.test(text))) return args;
  const first = args.findIndex(
    ({ text }, at) =>
      !text.startsWith("-") &&
      !/^-(?:path|literalpath|context|include|exclude|encoding)$/i.test(args[at - 1]?.text ?? ""),
  );
  return args.filter((_, at) => at !== first);
}

function listCmdletUses(cmdlet: Cmdlet, given: readonly Word[]): readonly Use[] | DisplayText {
  const uses: Use[] = [];
  const args = cmdlet.textFirst ? dropPattern(given) : given;
  // A share of another machine in place of a name is contacted, too. A pattern may look like one.
  if (!cmdlet.textFirst && args.some(({ text }) => /^[\\/]{2}/.test(text)))
    return displayText("safety.line.accessesNonFile");
  const reveals = cmdlet.operands === "contents";
  const kinds = { values: list(cmdlet.values), switches: list(cmdlet.switches), paths: list(cmdlet.paths) };
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (!word) break;
    const name = /^-([A-Za-z]+)$/.exec(word.text)?.[1]?.toLowerCase();
    if (name === undefined) {
      if (word.text.startsWith("-") && !word.isQuoted && !/^-\d+$/.test(word.text))
        return displayText("safety.line.unknownWord", { word: word.text });
      if (cmdlet.operands) uses.push({ word, reveals });
      else if (word.text.startsWith("/")) return displayText("safety.line.unknownWord", { word: word.text });
    } else if (kinds.values.includes(name)) at++;
    else if (kinds.paths.includes(name)) {
      const value = args[++at];
      if (value) uses.push({ word: value, reveals });
    } else if (!kinds.switches.includes(name)) return displayText("safety.line.unknownParameter", { name });
  }
  return uses.find(({ word }) => isOtherProvider(word.text)) ? displayText("safety.line.accessesNonFile") : uses;
}

/** True for paths of other providers (`env:`, `cert:`, `HKLM:`) and of other machines. */
function isOtherProvider(text: string): boolean {
  return /^[\\/]{2}|::|^[\w.-]{2,}:|^\w:(?![\\/])/.test(text);
}

function list(names: string | undefined): readonly string[] {
  return names?.split(" ") ?? [];
}

/** Windows programs that only show information. */
const WINDOWS_PROGRAMS: Readonly<Record<string, Check>> = {
  findstr: (args) => {
    const flags = args.filter(({ text }) => text.startsWith("/"));
    const isKnown = flags.every(({ text }) => /^\/(?:[belnimprsvx]+|c:.*)$/i.test(text));
    if (!isKnown || args.some(({ text }) => text.startsWith("-"))) return displayText("safety.line.unknownFlags");
    const operands = args.filter(({ text }) => !text.startsWith("/"));
    const hasText = flags.some(({ text }) => /^\/c:/i.test(text));
    const files = operands.slice(hasText ? 0 : 1).map((word) => ({ word, reveals: true }));
    const isBelow = flags.some(({ text }) => /^\/[^c:]*s/i.test(text));
    return isBelow ? [...files, { word: createLiteralWord("."), reveals: true, below: "all" }] : files;
  },
  "whoami hostname": createExactCheck(""),
};

/** Cmdlets and programs of Windows that only read. */
export const CMDLET_READERS: readonly Rows[] = [
  Object.fromEntries(
    Object.entries(CMDLETS).map(([names, cmdlet]) => [
      names,
      { cmdlet: { name: names.split(" ")[0] ?? "", check: (args: readonly Word[]) => listCmdletUses(cmdlet, args) } },
    ]),
  ),
  Object.fromEntries(Object.entries(WINDOWS_PROGRAMS).map(([names, check]) => [names, { readsOnWindows: check }])),
];
