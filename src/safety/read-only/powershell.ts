import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { createLiteralWord, type SimpleCommand, type Word } from "../shell/reading.ts";
import type { Check, Use } from "./check.ts";

/** A cmdlet's parameters by full name, in lower case: with a value, without one, and with a path as value. */
interface Cmdlet {
  readonly values?: string;
  readonly switches?: string;
  readonly paths?: string;
  /** Operands are paths, and their content or only their names are shown; absent: operands are text. */
  readonly operands?: "contents" | "names";
}

const CMDLETS: Readonly<Record<string, Cmdlet>> = {
  "get-childitem": {
    values: "filter include exclude depth attributes",
    switches: "recurse force name file directory hidden readonly",
    paths: "path literalpath",
    operands: "names",
  },
  "get-content": {
    values: "totalcount head first tail last readcount encoding delimiter",
    switches: "raw",
    paths: "path literalpath",
    operands: "contents",
  },
  "get-item": { switches: "force", paths: "path literalpath", operands: "names" },
  "test-path": { values: "pathtype", switches: "isvalid", paths: "path literalpath", operands: "names" },
  "resolve-path": { switches: "relative", paths: "path literalpath", operands: "names" },
  "get-filehash": { values: "algorithm", paths: "path literalpath", operands: "names" },
  "split-path": {
    switches: "leaf parent qualifier noqualifier leafbase extension isabsolute",
    values: "path",
  },
  "join-path": { values: "path childpath" },
  "get-location": {},
  "get-date": { values: "format uformat" },
  "get-process": { values: "name id" },
  "get-command": { values: "name commandtype", switches: "all" },
  "get-host": {},
  "get-culture": {},
  "write-output": {},
  "write-host": { values: "foregroundcolor backgroundcolor", switches: "nonewline" },
  "measure-object": {
    switches: "line word character sum average maximum minimum ignorewhitespace",
    values: "property",
  },
  "select-object": { values: "property first last skip index expandproperty", switches: "unique" },
  "sort-object": { values: "property", switches: "descending unique casesensitive" },
  "group-object": { values: "property", switches: "noelement" },
  "format-table": { values: "property", switches: "autosize wrap hidetableheaders" },
  "format-list": { values: "property" },
  "format-wide": { values: "property column" },
  "out-string": { values: "width", switches: "stream" },
  "convertfrom-json": { switches: "ashashtable", values: "depth" },
  "convertto-json": { switches: "compress", values: "depth" },
  "get-member": { values: "name membertype" },
  "get-unique": { switches: "asstring" },
  "compare-object": { switches: "includeequal excludedifferent" },
  "out-null": {},
};

const ALIASES: Readonly<Record<string, string>> = {
  ls: "get-childitem",
  dir: "get-childitem",
  gci: "get-childitem",
  cat: "get-content",
  type: "get-content",
  gc: "get-content",
  gi: "get-item",
  pwd: "get-location",
  gl: "get-location",
  rvpa: "resolve-path",
  echo: "write-output",
  write: "write-output",
  measure: "measure-object",
  select: "select-object",
  sort: "sort-object",
  group: "group-object",
  ft: "format-table",
  fl: "format-list",
  fw: "format-wide",
  gps: "get-process",
  ps: "get-process",
  gcm: "get-command",
  gm: "get-member",
  gu: "get-unique",
  sls: "select-string",
};

/** Resolves an alias to its cmdlet's name in lower case; returns any other name in lower case. */
function resolveCmdletAlias(name: string): string {
  const lower = name.toLowerCase();
  return (Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined) ?? lower;
}

/** The check of a cmdlet or its alias, in any case. */
export function findCmdletCheck(name: string): Check | undefined {
  const full = resolveCmdletAlias(name);
  if (full === "select-string") return selectString;
  const cmdlet = Object.hasOwn(CMDLETS, full) ? CMDLETS[full] : undefined;
  return cmdlet && ((args) => listCmdletUses(cmdlet, args));
}

const selectString: Check = (args) => {
  const cmdlet: Cmdlet = {
    values: "pattern context include exclude encoding",
    switches: "casesensitive simplematch quiet list notmatch allmatches raw",
    paths: "path literalpath",
    operands: "contents",
  };
  const hasPattern = args.some(({ text }) => /^-pattern$/i.test(text));
  const first = args.findIndex(
    ({ text }, index) =>
      !text.startsWith("-") &&
      !/^-(?:path|literalpath|context|include|exclude|encoding)$/i.test(args[index - 1]?.text ?? ""),
  );
  return listCmdletUses(cmdlet, hasPattern || first === -1 ? args : args.filter((_, index) => index !== first));
};

function listCmdletUses(cmdlet: Cmdlet, args: readonly Word[]): readonly Use[] | DisplayText {
  const uses: Use[] = [];
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
export const WINDOWS_PROGRAMS: Readonly<Record<string, Check>> = {
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
  whoami: (args) => (args.length === 0 ? [] : displayText("safety.line.unknownArguments")),
  hostname: (args) => (args.length === 0 ? [] : displayText("safety.line.unknownArguments")),
};

/** Cmdlets that output files, and those whose objects hold the environment. */
const GIVES_FILES = /^(?:get-childitem|get-item|resolve-path)$/;
const GIVES_ENVIRONMENT = /^(?:get-process|get-host|get-command|get-location)$/;

/** Properties that are plain text or numbers. */
const PLAIN_PROPERTY =
  /^(?:name|fullname|basename|extension|length|count|path|id|line|linenumber|filename|hash|version|source|mode|lastwritetime|creationtime|cpu|ws|year|month|day|sum|average)$/i;

/** Explains why a command mustn't receive the objects of a PowerShell pipe: some open files or contain secrets. */
export function explainPipeProblem(command: SimpleCommand, before: readonly SimpleCommand[]): DisplayText | undefined {
  const [name, ...args] = command.words.map(({ text }) => text);
  const own = resolveCmdletAlias(name ?? "");
  const given = before.map(({ words: [first] }) => resolveCmdletAlias(first?.text ?? ""));
  if (own === "get-content" && given.length > 0) return displayText("safety.line.showsPipedFiles");
  if (own === "select-string" && given.some((one) => GIVES_FILES.test(one)))
    return displayText("safety.line.searchesPipedFiles");
  if (own === "convertto-json" && given.some((one) => GIVES_ENVIRONMENT.test(one)))
    return displayText("safety.line.showsProcessProperties");
  const expanded = args[args.findIndex((arg) => /^-expandproperty$/i.test(arg)) + 1];
  if (own === "select-object" && args.some((arg) => /^-e/i.test(arg)) && !PLAIN_PROPERTY.test(expanded ?? ""))
    return displayText("safety.line.expandsProperty");
  return undefined;
}
