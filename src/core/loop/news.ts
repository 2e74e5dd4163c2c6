import type { ChangedFile } from "../../schema/run-values.ts";
import { COMMAND } from "../commands/command-traits.ts";
import { getOutcomeText, hasChangedNothing } from "../commands/outcome.ts";
import type { StepView } from "../events/run-state.ts";
import { type CalledOutcome, listStepCalls } from "../reply/further-calls.ts";
import type { Call } from "../reply/reply.ts";

/** True for the hash of something that earlier steps showed or did. */
type IsKnown = (hash: number) => boolean;

/** One step as later ones remember it. */
export interface StepNews {
  /** Hashes of all that it read, wrote, did and ran into. */
  readonly traces: ReadonlySet<number>;
  /** True if the step made progress, given everything known before it. */
  isNew(isKnown: IsKnown): boolean;
}

interface CallNews {
  readonly traces: readonly number[];
  readonly isNew: (isKnown: IsKnown) => boolean;
}

const made = new WeakMap<StepView, StepNews>();

/** The news of a finished step. Made once for each step, since outcomes may be long. */
export function computeStepNews(step: StepView): StepNews {
  const known = made.get(step);
  if (known) return known;
  const calls = listStepCalls(step).map(createCallNews);
  const isUsersWord = step.outcome?.status === "refused" && step.decided?.by === "user";
  const news = {
    traces: new Set(calls.flatMap(({ traces }) => traces)),
    isNew: (isKnown: IsKnown) => isUsersWord || calls.some(({ isNew }) => isNew(isKnown)),
  };
  made.set(step, news);
  return news;
}

/** Words in names that classify commands, because tools of plugins and servers count, too. */
const QUIET = /^(?:nothing|plan|todos?|think(?:ing)?|thoughts?|memory|remember)$/;
const LOOKING =
  /^(?:read|get|list|search|find|fetch|browse|view|show|inspect|describe|check|status|diff|log|query|api|agents?|process|problems|references|summary|tests|analyze|improve|skill)$/;

/** Words for a look at one named place. Another place counts as new even if its text is the same. */
const OPENING = /^(?:read|get|open|list|fetch|browse|view|show)$/;

/** Minimum share of a call's text that must be new to count. If the same call shows something else, any new line counts. */
const FRESH_SHARE = 1 / 4;

/** Creates the news of a call. A failure, a change of files, a look and any other call each make progress in a different way. */
function createCallNews({ call, outcome }: CalledOutcome): CallNews {
  const words = call.name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  const told = collectTexts(call.args);
  const shown = splitOutcome(getOutcomeText(outcome), told);
  const own = told.flatMap((text) => text.split("\n")).map((line) => hash(normalizeLine(line)));
  const traces = [...own, ...shown.flatMap(({ ids, exact, shape }) => [...ids, exact, shape])];
  const createNews = (isNew: CallNews["isNew"], ...keys: readonly number[]): CallNews => ({
    traces: [...traces, ...keys],
    isNew,
  });
  if (outcome.status !== "done") {
    const isInvalid = outcome.status === "failed" && outcome.isInvalid;
    const kind = hash(`failure ${isInvalid ? "" : call.name} ${getFailureKind(getOutcomeText(outcome), told)}`);
    return createNews((isKnown) => !isKnown(kind), kind);
  }
  if (call.name === COMMAND.ask) return createNews(() => true);
  const looks = words.some((word) => LOOKING.test(word)) && /^(?:GET|HEAD|)$/i.test(getTextOrEmpty(call.args.method));
  if (hasChangedNothing(outcome) || (!looks && words.some((word) => QUIET.test(word)))) return createNews(() => false);
  if (outcome.files?.length) {
    const [file] = outcome.files;
    const keys = listChangeKeys(call, file, outcome.output);
    const later = file?.change === "created" ? listChangeKeys(call, undefined, outcome.output) : [];
    return createNews((isKnown) => !keys.some(isKnown), ...keys, ...later);
  }
  const same = hash(`call ${call.name} ${JSON.stringify(call.args)}`);
  const tool = hash(`command ${call.name}`);
  const hasFailed = outcome.exitCode !== undefined;
  const acted = looks ? "" : normalizeArguments(call);
  const deed = hasFailed ? "" : acted;
  const opens = words.some((word) => OPENING.test(word));
  const place = opens || (!looks && deed === "" && !hasFailed) ? hashPlace(call) : undefined;
  const deeds = acted === "" ? [] : [hash(`deed ${call.name} ${acted}`)];
  const firsts = [tool, place, ...(hasFailed ? [] : deeds)].filter((key) => key !== undefined);
  const isNew = (isKnown: IsKnown): boolean => {
    const isAgain = isKnown(same);
    const isFresh = ({ ids, exact, shape }: Part): boolean => {
      if (isAgain && hasFailed) return !isKnown(shape);
      return opens && !isAgain ? !isKnown(exact) : !ids.some(isKnown);
    };
    const fresh = sumPartSizes(shown.filter(isFresh));
    const least = isAgain ? 1 : Math.max(1, sumPartSizes(shown) * FRESH_SHARE);
    return fresh >= least || firsts.some((key) => !isKnown(key));
  };
  return createNews(isNew, same, ...firsts, ...deeds);
}

/** A part of a shown text, as it is and without the call's own words. */
interface Part {
  readonly ids: readonly [number, number];
  /** Includes numbers, times and IDs; compared for another part of an opened place. */
  readonly exact: number;
  /** Excludes numbers; compared for a program that fails again. */
  readonly shape: number;
  readonly size: number;
}

/** Words of a call that its outcome may repeat; more of them aren't looked for. */
const MOST_WORDS = 40;

/** Longer lines are compared by their sentences. */
const LONGEST_LINE = 200;

/** Splits an outcome into lines, without those that only echo the call. */
function splitOutcome(shown: string, told: readonly string[]): readonly Part[] {
  const all = told.join("\n");
  const values = told.filter((value) => !value.includes("\n"));
  const words = [...values, ...values.flatMap((value) => value.split(/[\s"']+/))];
  const echoes = words.filter((word) => word.length > 1).slice(0, MOST_WORDS);
  const lines = shown.split("\n").flatMap((line) => (line.length > LONGEST_LINE ? line.split(/(?<=[.!?]) /) : [line]));
  return lines.flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || (trimmed.length > 2 && all.includes(trimmed))) return [];
    const bare = echoes.reduce((rest, value) => rest.replaceAll(value, ""), trimmed);
    const isHeader = trimmed.startsWith("[") || (index === 0 && (bare !== trimmed || trimmed.endsWith(":")));
    const hasNumbers = !isHeader && /[\p{L}%/]/u.test(trimmed);
    const [raw, plain] = [trimmed, bare].map((text) => normalizeLine(hasNumbers ? text : text.replace(/\d+/g, "#")));
    return [
      {
        ids: [hash(raw ?? ""), hash(plain ?? "")],
        exact: hash(`exact ${isHeader ? plain : bare.replace(NUMBER, "").trim()}`),
        shape: hash(`shape ${plain?.replace(COUNTER, "#")}`),
        size: trimmed.length,
      },
    ];
  });
}

function sumPartSizes(parts: readonly Part[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0);
}

/** The number of a shown line. */
const NUMBER = /^\s*\d+: /;
/** Excludes progress and sizes, which may be long numbers. */
const NO_MEASURE = String.raw`(?![\d.]|\s?(?:%|\/\s?\d|of\s\d|[kmgt]?i?b\b|bytes?\b|rows?\b|records?\b))`;
const COUNTER = new RegExp(String.raw`\d+${NO_MEASURE}`, "gi");

/** Times, durations, long numbers and ids, which change by themselves. */
const UNSETTLED = new RegExp(
  [
    /\d{4}-\d\d-\d\d(?:T[\d:.,]+Z?)?/,
    /(?<![\w.:/])\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?/,
    /\b(?:duration|elapsed|took|time)\w*\W{0,3}\d[\d.]*/,
    /\b\d+(?:[.,]\d+)?\s?(?:[mnuµ]?s|sec(?:ond)?s?|min(?:ute)?s?)\b/,
    /\b0x[\da-f]+|\b(?=[\da-f]*\d)(?=\d*[a-f])[\da-f]{7,}(?:-[\da-f]{4,})*\b|\b\d{8}(?:-[\da-f]{4,})+\b/,
    new RegExp(String.raw`\d{10,}|\d{5,}(?:\.\d+)?${NO_MEASURE}|\d+\.\d{4,}`),
  ]
    .map(({ source }) => `(?:${source})`)
    .join("|"),
  "gi",
);

/** Normalizes a line: removes its number, its blanks and parts that change by themselves. */
function normalizeLine(line: string): string {
  return line.replace(NUMBER, "").replace(UNSETTLED, "#").replace(/\s+/g, " ").trim();
}

/** The first sentence of an error, without names, numbers and the call's own words. */
function getFailureKind(error: string, told: readonly string[]): string {
  const [first = ""] = error.split(/\n|(?<=[.!?]) /);
  const bare = told.reduce((rest, value) => (value.length > 1 ? rest.replaceAll(value, "") : rest), first);
  return normalizeLine(bare.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, "")).replace(/\d+/g, "#");
}

const COMMENT = /^\s*(?:\/\/|#(?!!)|\/\*|\*(?:[\s/]|$)|<!--|--\s|;).*$|\s(?:\/\/|#)\s.*$/;
const PROSE = /\.(?:md|markdown|rst|adoc|org|txt)$/i;

/**
 * Identifies a change of a part of a file by the text afterwards, and by the request if the file grows. Whole texts count without comments,
 * and new files by their folders, so that the same text under another name is the same.
 */
function listChangeKeys({ name, args }: Call, file: ChangedFile | undefined, output: string): readonly number[] {
  const { filename, contents } = { filename: getTextOrEmpty(args.filename), contents: args.contents };
  if (typeof contents !== "string" || name === COMMAND.append) {
    const [, after] = /\n(.*)$/s.exec(output) ?? [];
    const grows = (file?.added ?? 0) > (file?.removed ?? 0);
    return [
      ...(grows || after === undefined ? [`change ${name} ${stripCommentNumbers(collectTexts(args).join("\n"))}`] : []),
      ...(after === undefined ? [] : [`reads ${filename} ${stripCommentNumbers(after)}`]),
    ].map(hash);
  }
  const isNew = file?.change === "created";
  const lines = contents
    .split("\n")
    .map((line) => normalizeLine(PROSE.test(filename) ? line : line.replace(COMMENT, "")));
  const body = lines.filter((line) => line !== "").join("\n");
  const place = isNew ? `${filename.replace(/[^/\\]*$/, "")}*${/\.\w+$/.exec(filename)?.[0] ?? ""}` : filename;
  return [hash(`text ${place} ${isNew ? body : body.replace(/\d+/g, "#")}`)];
}

/** Normalizes lines of code: removes numbers in comments and parts that change by themselves. */
function stripCommentNumbers(code: string): string {
  return code
    .split("\n")
    .map((line) =>
      line
        .replace(COMMENT, (comment) => comment.replace(/\d+/g, "#"))
        .replace(UNSETTLED, "#")
        .trim(),
    )
    .join("\n");
}

/** Hashes the file, folder or page that a call opens, regardless of spelling and of the requested part. */
function hashPlace({ args }: Call): number {
  const [first = ""] = "glob" in args ? [] : collectTexts(args);
  const line = getTextOrEmpty(args.command_line);
  const [path = LISTED.exec(line)?.[1] ?? ""] = /[^\s"';&|]*(?:\.[a-z]\w*|\/[\w.]+)/i.exec(line) ?? [];
  const name =
    path ||
    getTextOrEmpty(args.filename) ||
    getTextOrEmpty(args.url) ||
    getTextOrEmpty(args.folder) ||
    (line === "" ? first : "");
  return hash(
    `place ${name
      .replace(/[?#].*$|:\d+(?:-\d+)?$/s, "")
      .replace(/(^|\/)(?:\.\/|[^/.]+\/\.\.\/)+/g, "$1")
      .replace(/\/+\.?$/, "")}`,
  );
}

/** The folder or file that a program lists or shows. */
const LISTED = /\b(?:ls|dir|tree|cat|head|tail|wc|stat|du)\s+(?:-\S+\s+)*([^\s;&|<>-][^\s;&|<>]*)/;

/** Parts of command lines and scripts that only wait, print or look. */
const IDLE =
  /^\s*(?:$|#|:|true\b|sleep|echo|printf|date|cd|pwd|ls|dir|cat|head|tail|sed\s+-n|awk|sort|cut|jq|tree|wc|stat|ps|uptime|free|df|du|env|which|whoami|id|uname|find|grep|rg|test|\[|git\s+(?:status|log|diff|show|branch|rev-parse)|import\b|time\.sleep|(?:(?:python3?|node)\s+-[ce]\s+["'])?(?:print|console\.log)\s*\(\s*[a-z]?["'`])/;

const REDIRECTS = /(?<![0-9&])>+\s*(?!&|\/dev\/null)/;

/** Normalizes the arguments of a call, and drops parts of a program that do nothing; "" if nothing is left. */
function normalizeArguments({ args }: Call): string {
  const code = args.command_line ?? args.code;
  if (typeof code !== "string") return normalizeLine(JSON.stringify(args));
  const parts = code.match(/(?:"[^"]*"|'[^']*'|[^;&|\n"'])+/g) ?? [];
  const acting = parts.flatMap((part) => {
    if (!IDLE.test(part)) return [part];
    return REDIRECTS.test(part) ? [part.replace(/>\s*\S+/g, (target) => target.replace(/\d+/g, "#"))] : [];
  });
  return acting.length === 0 ? "" : normalizeLine(`${getTextOrEmpty(args.folder)} ${acting.join(";")}`);
}

function collectTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(collectTexts);
}

function getTextOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** FNV-1a with 32 bits. */
function hash(value: string): number {
  let sum = 0x811c9dc5;
  for (let index = 0; index < value.length; index++) sum = Math.imul(sum ^ value.charCodeAt(index), 0x01000193);
  return sum;
}
