import { diffArrays } from "diff";

/** With more differences, nothing is restored, which bounds the time. */
const MOST_DIFFERENCES = 2_000;

/** Lines that are whole comments in most languages, settings files and pages. */
const COMMENT = /^\s*(?:#+(?:\s|$)|\/\/|--\s|;\s|\/\*.*\*\/\s*$|<!--.*-->\s*$)/;

/** Comments on work that a change may have done. */
const OPEN_WORK = /\b(?:TODO|FIXME|XXX|HACK)\b/;

/** Texts where lines like comments are headings and lists. */
const HAS_NO_COMMENTS = /\.(?:md|mdx|markdown|rst|adoc|org|txt|diff|patch)$/i;

/** Minimum number of lines with words before a part; fewer may have been removed on purpose. */
const LEAST_BEFORE = 4;

/**
 * Restores what small models leave out of a file's text unasked: everything around the part that they changed, and comments above lines
 * that stay. Lines end in "\n". Returns the text itself if nothing is missing.
 */
export function restoreLeftOutText(written: string, old: string, label: string): string {
  const lines = old.split(/\r\n|\r|\n/);
  const given = written.split(/\r\n|\r|\n/);
  const whole = completePart(given, lines) ?? given;
  const all = HAS_NO_COMMENTS.test(label) ? whole : restoreLostComments(whole, lines);
  return all === given ? written : all.join("\n");
}

/**
 * Completes the file of which a part was given. The part begins and ends with lines of the file, changes some between them, and has none
 * around those. Undefined for any other text, and for one that only leaves out lines, possibly on purpose.
 */
function completePart(written: readonly string[], lines: readonly string[]): readonly string[] | undefined {
  const given = written.slice(0, written.findLastIndex((line) => line !== "") + 1);
  const [first = "", last = ""] = [given[0], given.at(-1)];
  const from = lines.indexOf(first);
  const ends = lines.flatMap((line, at) => (at >= from && line === last ? [at] : []));
  const to = ends[given.filter((line) => line === last).length - 1];
  if (from === -1 || to === undefined || first.trim() === "" || from !== lines.lastIndexOf(first)) return undefined;
  if (lines.slice(0, from).filter(hasWords).length < LEAST_BEFORE) return undefined;
  const around = [...lines.slice(0, from), ...lines.slice(to + 1)].filter(hasWords);
  const inside = new Set(lines.slice(from, to + 1));
  const lost = new Set(around.filter((line) => !inside.has(line)));
  const isLost = lines.slice(0, from).some((line) => lost.has(line)) && !given.some((line) => lost.has(line));
  const isChanged = given.some((line) => !inside.has(line));
  return isLost && isChanged ? [...lines.slice(0, from), ...given, ...lines.slice(to + 1)] : undefined;
}

/** False for braces and the like, which occur anywhere. */
function hasWords(line: string): boolean {
  return line.trim().length > 3;
}

/** Restores missing comments if the line below them has stayed, or begins as before. */
function restoreLostComments(given: readonly string[], lines: readonly string[]): readonly string[] {
  const parts = diffArrays([...lines], [...given], { maxEditLength: MOST_DIFFERENCES });
  const result = (parts ?? []).flatMap(({ added, removed, value }, index) => {
    const [before, next] = [parts?.[index - 1], parts?.[index + 1]];
    if (removed) return next?.added ? [] : restoreComments(value, [], next?.value[0]);
    return added && before?.removed ? restoreComments(before.value, value, next?.value[0]) : value;
  });
  return result.length > given.length ? result : given;
}

/** Puts the comments at both ends of the removed lines around the added lines, if these have no comments. `below` has stayed. */
function restoreComments(removed: readonly string[], added: readonly string[], below = ""): readonly string[] {
  const words = new Set(added.map((line) => line.trim()));
  const isDone = (line: string): boolean =>
    OPEN_WORK.test(line) || (isComment(line) && words.has(line.replace(/^\W+/, "").trim()));
  if (added.some(isComment) || removed.some(isDone)) return added;
  const first = removed.findIndex((line) => !isComment(line));
  if (first === -1) return added.length === 0 ? removed : added;
  const goesOn =
    findFirstWord(removed[first]) !== undefined && findFirstWord(removed[first]) === findFirstWord(added[0]);
  const last = below.trim() === "" ? removed.length : removed.findLastIndex((line) => !isComment(line));
  return [...(goesOn ? removed.slice(0, first) : []), ...added, ...removed.slice(last + 1)];
}

function isComment(line: string): boolean {
  return COMMENT.test(line);
}

/** The first word of a line with its indentation; undefined for a blank one. */
function findFirstWord(line = ""): string | undefined {
  return /^\s*[^\s=:(]+/.exec(line)?.[0];
}
