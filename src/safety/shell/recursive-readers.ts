import type { Disk } from "../../core/ports/disk.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { isGlobMatch } from "../paths/glob.ts";
import { resolvePathFrom, splitPathSegments } from "../paths/paths.ts";
import { findSecretReason } from "../paths/sensitive.ts";
import { type EnteredPlace, selectEntered } from "../programs/program.ts";
import type { CwdContext } from "../read-only/file-access.ts";
import { skipLeadingFlags, takeFindRoots, UNKNOWN } from "./reading.ts";
import type { ProgramCall } from "./script.ts";

/** A folder in which a line reads every file. */
interface FolderRead {
  /** As spelled in the line; "." is the folder in which the line runs. */
  readonly folder: string;
  readonly skipsHidden: boolean;
  /** Only names that match one of these patterns. */
  readonly only: readonly string[];
}

const LISTS_ALL =
  /(?:^| )(?:-[a-zA-Z]*[aAuHo.]|--all|--hidden|--almost-all|--others|--no-ignore\S*|--unrestricted|-force)/i;

/** A sentence on a secret below a folder that a line reads as a whole; undefined when there seems to be none. */
export async function explainReachedSecrets(
  calls: readonly ProgramCall[],
  { folder, folders }: CwdContext,
  disk: Disk,
): Promise<DisplayText | undefined> {
  const reads = calls.flatMap((call) => [...listFolderReads(call), ...listFoundFolderReads(call, calls)]);
  const entered = calls.flatMap((call) => resolveEnteredFolders(call, folder));
  const places = [folder, ...selectEntered(entered, MOST_PLACES - 1)];
  for (const read of reads.slice(0, MOST_READS)) {
    if (HOME_OR_SYSTEM.test(read.folder))
      return displayText("safety.line.readsFolder", {
        folder: read.folder,
        found: displayText("safety.line.homeOrSystem"),
      });
    for (const place of places) {
      const path = resolvePathFrom(place, read.folder);
      const reals = (await disk.resolveRealPaths(path, /[*?[]/.test(read.folder))) ?? [];
      for (const real of reals.slice(0, MOST_READS)) {
        const found = await disk.findBelow(real, (names) => isSecret(names, read), folders);
        if (found !== undefined) return displayText("safety.line.readsFolder", { folder: read.folder, found });
      }
    }
  }
  return undefined;
}

const HOME_OR_SYSTEM = /^(?:~[\w.-]*|\/|\/(?:home|root|etc|Users|proc|sys|var)(?:\/[^/]*)?)\/?$/;
const MOST_READS = 20;
const MOST_PLACES = 4;

function isSecret(names: readonly string[], { skipsHidden, only }: FolderRead): boolean {
  if (skipsHidden && names.some((name) => name.startsWith("."))) return false;
  const last = names.at(-1)?.toLowerCase() ?? "";
  // A name with blanks in it may be handed on as several names.
  const pieces = names.flatMap((name) => name.split(/\s+/).slice(1));
  if (pieces.some((piece) => findSecretReason([piece]) !== undefined)) return true;
  if (only.length > 0 && !only.some((pattern) => isGlobMatch(pattern.toLowerCase(), last))) return false;
  return findSecretReason(splitPathSegments(names.join("/"))) !== undefined;
}

function resolveEnteredFolders({ program: { enters }, texts }: ProgramCall, folder: string): readonly EnteredPlace[] {
  const flag = texts.indexOf("-C");
  const named: readonly EnteredPlace[] = [
    ...(enters === undefined ? [] : [{ place: texts[0] ?? "", enters }]),
    { place: flag === -1 ? "" : (texts[flag + 1] ?? ""), enters: 1 },
  ];
  return named
    .filter(({ place }) => place !== "" && !place.includes(UNKNOWN))
    .map((one) => ({ ...one, place: resolvePathFrom(folder, one.place) }));
}

/** Folders that a command reads completely. */
function listFolderReads({ name, program, texts, input }: ProgramCall): readonly FolderRead[] {
  const given = name === "git" ? skipLeadingFlags(texts) : texts;
  const text = given.join(" ").slice(0, 2000);
  const args = name === "git" ? given.slice(1) : given;
  const reader = program.readsBelow?.find(({ args: pattern }) => pattern?.test(text) ?? true);
  if (!reader) return [];
  const isGrep = /grep$|^ug$/.test(name);
  const hasPattern = args.some((arg) => /^(?:-[a-zA-Z]*[ef]|--regexp|--file|--files|--type-list)\b/.test(arg));
  const operands = args.filter((arg) => !arg.startsWith("-")).slice(hasPattern ? 0 : (reader.textFirst ?? 0));
  const isFed = input === "stream" && operands.length === 0 && !isGrep;
  const targets = operands.length > 0 ? operands : reader.isHereByDefault && !isFed ? ["."] : [];
  const skipsHidden = reader.hiddenOnlyWith !== undefined && !reader.hiddenOnlyWith.test(text);
  return targets
    .filter((target) => !target.includes(UNKNOWN) && target !== "")
    .map((folder) => ({ folder, skipsHidden, only: listIncludePatterns(args) }));
}

/** Patterns of `--include`, `-g`, `-name` and `-e`, if all of them are plain. */
function listIncludePatterns(args: readonly string[]): readonly string[] {
  if (args.some((arg) => arg.includes(UNKNOWN))) return [];
  return args.flatMap((arg, at) => {
    const attached = /^(?:--include|--glob|--iglob)=(.+)$|^-g(.+)$/.exec(arg);
    const value = attached?.[1] ?? attached?.[2];
    if (value !== undefined) return value.startsWith("!") ? [] : [value.split("/").at(-1) ?? value];
    const isFlag = /^(?:--include|--glob|--iglob|-g|-name|-iname)$/.test(args[at - 1] ?? "");
    return isFlag && !arg.startsWith("!") && args[at - 2] !== "!" && args[at - 2] !== "-not"
      ? [arg.split("/").at(-1) ?? arg]
      : [];
  });
}

/** True for a command that lists files that git may not track. */
export function isLister({ name, program, texts }: ProgramCall): boolean {
  const text = texts.join(" ");
  if (name === "git") return /\bls-files\b.*(?:-\w*o|--others)/.test(text);
  return program.lists === "files" && (name !== "rg" || text.includes("--files"));
}

/** Folders whose files a command lists while another one, or `-exec`, shows files whose names are only known at run time. */
function listFoundFolderReads(call: ProgramCall, all: readonly ProgramCall[]): readonly FolderRead[] {
  if (!isLister(call)) return [];
  const { name, args, texts, operands } = call;
  const isFind = /^g?find$/.test(name);
  const hasAction = texts.some((text) => /^(?:-exec(?:dir)?|-ok(?:dir)?|-x|-X|--exec(?:-batch)?)$/.test(text));
  const isShown = all.some(
    (other) =>
      other !== call &&
      other.program.shows !== undefined &&
      (isReceivingNames(other, all) ||
        (hasAction && (!isFind || other.words.some(({ text: word }) => word.includes("{}"))))),
  );
  if (!isShown) return [];
  const roots = (isFind ? takeFindRoots(args) : operands).map(({ text }) => text);
  const folders = roots.filter((root) => !root.includes(UNKNOWN) && /^[./~\w]/.test(root));
  const isAlternative = texts.some((text) => text === "-o" || text === "-or");
  const isFew = texts.filter((text) => /^-i?name$/.test(text)).length < 2;
  const only = isAlternative && isFew ? [] : listIncludePatterns(texts);
  const skipsHidden = !isFind && name !== "git" && !LISTS_ALL.test(texts.join(" "));
  return (isFind && folders.length > 0 ? folders : [".", ...folders].slice(0, isFind ? 1 : 3)).map((folder) => ({
    folder,
    skipsHidden,
    only,
  }));
}

/** True for a command that receives names through `xargs`, from a substitution, or from a loop. */
function isReceivingNames({ words, program, input, texts }: ProgramCall, all: readonly ProgramCall[]): boolean {
  const isBehindXargs = all.some(
    (other) =>
      /^(?:xargs|parallel|foreach-object|%)$/.test(other.words[0]?.text ?? "") &&
      other.texts.some((text) => text === words[0]?.text),
  );
  const isPiped = program.namesFromInput === true && input === "stream";
  return isBehindXargs || isPiped || texts.some((text) => text.includes(UNKNOWN));
}
