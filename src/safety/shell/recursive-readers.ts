import type { Disk } from "../../core/ports/disk.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { isGlobMatch } from "../paths/glob.ts";
import { resolvePathFrom, splitPathSegments } from "../paths/paths.ts";
import { findSecretReason } from "../paths/sensitive.ts";
import type { CwdContext } from "../read-only/file-access.ts";
import {
  getCommandName,
  listEveryCommand,
  type ShellScript,
  type SimpleCommand,
  UNKNOWN,
} from "./reading.ts";

/** A folder of which a line reads every file. */
interface FolderRead {
  /** As it's spelled; "." is the folder in which the line runs. */
  readonly folder: string;
  readonly skipsHidden: boolean;
  /** Only names that match one of these patterns. */
  readonly only: readonly string[];
}

/** Programs that read everything below the folders among their arguments. */
interface RecursiveReader {
  readonly programs: RegExp;
  /** Tested on the arguments, joined by blanks; absent: it always does. */
  readonly args?: RegExp;
  /** Leading operands that are no folders. */
  readonly textFirst?: number;
  /** Folders without an operand. */
  readonly isHereByDefault?: true;
  /** It skips hidden files unless a flag fits. */
  readonly hiddenOnlyWith?: RegExp;
}

const READERS: readonly RecursiveReader[] = [
  {
    programs: /^(?:[ezf]?grep|zgrep|bzgrep|xzgrep|ugrep)$/,
    args: /(?:^| )-(?:[a-zA-Z]*[rR]|-rec|-deref|d ?rec|-directories=rec)/,
    textFirst: 1,
    isHereByDefault: true,
  },
  { programs: /^(?:ug|rgrep)$/, textFirst: 1, isHereByDefault: true },
  {
    programs: /^(?:rg|ag|ack|pt|sift|gg)$/,
    textFirst: 1,
    isHereByDefault: true,
    hiddenOnlyWith: /(?:^| )(?:-[a-zA-Z]*[u.a]|--hid\w*|--no-ignore\S*|--unrestricted|--all\S*)/,
  },
  { programs: /^(?:bsd)?tar$/, args: /^-?[a-zA-Z]*[cru]|--(?:create|append|update|cat)/ },
  { programs: /^zip$/, args: /(?:^| )-[a-zA-Z0-9]*[rR]|--rec/ },
  {
    programs:
      /^(?:7z[azr]?|rar|jar|ar|squashfs|mksquashfs|genisoimage|mkisofs|pax|dar|restic|borg|duplicity)$/,
  },
  { programs: /^g?cp$/, args: /(?:^| )-(?:[a-zA-Z]*[rRa]|-rec\w*|-arch\w*)/ },
  {
    programs: /^(?:rsync|scp|rclone|croc|lftp|ncftpput|s3cmd|gsutil|azcopy)$/,
    args: /(?:^| )-[a-zA-Z]*[ra]|--rec|--arch|\b(?:copy|sync|cp|send)\b/,
  },
  { programs: /^aws$/, args: /\bs3 (?:sync|cp)\b/ },
  { programs: /^diff$/, args: /(?:^| )-(?:[a-zA-Z]*r|-rec)/ },
  { programs: /^(?:python[\d.]*)$/, args: /^-m http\.server/, isHereByDefault: true, textFirst: 9 },
  { programs: /^(?:http-server|serve|live-server|webfsd|darkhttpd|miniserve|caddy)$/, isHereByDefault: true },
  {
    programs: /^(?:npx|bunx)$/,
    args: /(?:^| )(?:http-server|serve|live-server)(?= |$)/,
    isHereByDefault: true,
    textFirst: 9,
  },
  { programs: /^php$/, args: /(?:^| )-S /, isHereByDefault: true, textFirst: 9 },
  // Past its index, git reads what is ignored, too.
  {
    programs: /^git$/,
    args: /^grep\b.* --(?:no-i|unt|no-ex)/,
    textFirst: 1,
    isHereByDefault: true,
  },
  { programs: /^git$/, args: /^diff\b.* (?:--no-i|\/|~|\.\.(?:\/|$| ))/ },
  { programs: /^git$/, args: /^(?:add|stage)\b.* (?:-\w*f|--forc?e?)/, isHereByDefault: true },
  { programs: /^git$/, args: /^stash\b.* (?:-\w*a|--all?)(?: |$)/, isHereByDefault: true },
  { programs: /^git$/, args: /^archive\b/, isHereByDefault: true, textFirst: 1 },
  {
    programs: /^(?:compress-archive|copy-item|copy|cpi|xcopy|robocopy)$/,
    args: /(?:^| )(?:-r\w*|\/[es]|-path|\.)/i,
  },
];

/** Programs that list names for others. */
const LISTERS = /^(?:find|gfind|fd|fdfind|ls|tree|git|rg|locate|get-childitem|gci|dir)$/;
/** Programs that show the content of files whose names they get. */
const SHOWS =
  /^(?:cat|tac|head|tail|less|more|most|bat|batcat|nl|strings|xxd|od|hexdump|hd|base64|base32|uuencode|sort|uniq|paste|join|cut|awk|gawk|mawk|sed|gsed|grep|egrep|fgrep|zgrep|rg|ag|cp|mv|ln|rsync|scp|curl|wget|tar|zip|gzip|openssl|gpg|python[\d.]*|perl|ruby|node|sh|bash|zsh|dash|tee|dd|install|jq|yq|column|fold|fmt|pr|rev|expand|iconv|diff|cmp|comm|read|nc|ncat|vim?|view|emacs|nano|get-content|gc|type|select-string|sls|cpio|pax)$/;
const LISTS_ALL =
  /(?:^| )(?:-[a-zA-Z]*[aAuHo.]|--all|--hidden|--almost-all|--others|--no-ignore\S*|--unrestricted|-force)/i;

/** True for a program that shows the content of files among its arguments. */
export function canShowFileContents(name: string): boolean {
  return SHOWS.test(name);
}

/** A sentence on a secret below a folder that a line reads as a whole; undefined when there seems to be none. */
export async function explainReachedSecrets(
  script: ShellScript,
  { folder, folders }: CwdContext,
  disk: Disk,
): Promise<DisplayText | undefined> {
  const commands = listEveryCommand(script);
  const reads = commands.flatMap((command) => [
    ...listFolderReads(command),
    ...listFoundFolderReads(command, commands),
  ]);
  const places = [folder, ...commands.flatMap((command) => resolveEnteredFolders(command, folder))].slice(
    0,
    MOST_PLACES,
  );
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
        if (found !== undefined)
          return displayText("safety.line.readsFolder", { folder: read.folder, found });
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
  if (
    names.some((name) =>
      name
        .split(/\s+/)
        .slice(1)
        .some((piece) => findSecretReason([piece]) !== undefined),
    )
  )
    return true;
  if (only.length > 0 && !only.some((pattern) => isGlobMatch(pattern.toLowerCase(), last))) return false;
  return findSecretReason(splitPathSegments(names.join("/"))) !== undefined;
}

function resolveEnteredFolders(command: SimpleCommand, folder: string): readonly string[] {
  const isEntering = /^(?:cd|pushd|set-location|sl)$/.test(getCommandName(command) ?? "");
  const text = command.words[1]?.text ?? "";
  const flag = command.words.findIndex(({ text: one }) => one === "-C");
  const names = [isEntering ? text : "", flag > 0 ? (command.words[flag + 1]?.text ?? "") : ""];
  return names.flatMap((name) =>
    name === "" || name.includes(UNKNOWN) ? [] : [resolvePathFrom(folder, name)],
  );
}

function listArguments({ words }: SimpleCommand): readonly string[] {
  return words.slice(1).map(({ text }) => text);
}

/** Folders that a command reads by itself. */
function listFolderReads(command: SimpleCommand): readonly FolderRead[] {
  const name = getCommandName(command) ?? "";
  const given = name === "git" ? skipGitFlags(listArguments(command)) : listArguments(command);
  const text = given.join(" ").slice(0, 2000);
  const args = name === "git" ? given.slice(1) : given;
  const reader = READERS.find(
    ({ programs, args: pattern }) => programs.test(name) && (pattern?.test(text) ?? true),
  );
  if (!reader) return [];
  const isGrep = /grep$|^ug$/.test(name);
  const hasPattern = args.some((arg) =>
    /^(?:-[a-zA-Z]*[ef]|--regexp|--file|--files|--type-list)\b/.test(arg),
  );
  const operands = args.filter((arg) => !arg.startsWith("-")).slice(hasPattern ? 0 : (reader.textFirst ?? 0));
  const isFed = command.input === "stream" && operands.length === 0 && !isGrep;
  const targets = operands.length > 0 ? operands : reader.isHereByDefault && !isFed ? ["."] : [];
  const skipsHidden = reader.hiddenOnlyWith !== undefined && !reader.hiddenOnlyWith.test(text);
  return targets
    .filter((target) => !target.includes(UNKNOWN) && target !== "")
    .map((folder) => ({ folder, skipsHidden, only: listIncludePatterns(args) }));
}

/** From git's subcommand on. */
function skipGitFlags(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg, index) => !arg.startsWith("-") && !/^-[Cc]$/.test(args[index - 1] ?? ""));
  return at === -1 ? [] : args.slice(at);
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

/** True for a command that lists files that git needn't track. */
export function isLister(command: SimpleCommand): boolean {
  const name = getCommandName(command) ?? "";
  const text = listArguments(command).join(" ");
  if (name === "git") return /\bls-files\b.*(?:-\w*o|--others)/.test(text);
  return LISTERS.test(name) && (name !== "rg" || text.includes("--files"));
}

/** Folders whose files a command lists while another one, or `-exec`, shows files by names that are known at run time. */
function listFoundFolderReads(command: SimpleCommand, all: readonly SimpleCommand[]): readonly FolderRead[] {
  const name = getCommandName(command) ?? "";
  if (!isLister(command)) return [];
  const args = listArguments(command);
  const text = args.join(" ");
  const isFind = /^g?find$/.test(name);
  const hasAction = args.some((arg) => /^(?:-exec(?:dir)?|-ok(?:dir)?|-x|-X|--exec(?:-batch)?)$/.test(arg));
  const isShown = all.some(
    (other) =>
      other !== command &&
      SHOWS.test(getCommandName(other) ?? "") &&
      (isReceivingNames(other, all) ||
        (hasAction && (!isFind || other.words.some(({ text: word }) => word.includes("{}"))))),
  );
  if (!isShown) return [];
  const end = args.findIndex((arg) => /^[-!(]/.test(arg));
  const roots = isFind
    ? args.slice(0, end === -1 ? undefined : end)
    : args.filter((arg) => !arg.startsWith("-"));
  const folders = roots.filter((root) => !root.includes(UNKNOWN) && /^[./~\w]/.test(root));
  const isAlternative = args.some((arg) => arg === "-o" || arg === "-or");
  const only =
    isAlternative && args.filter((arg) => /^-i?name$/.test(arg)).length < 2 ? [] : listIncludePatterns(args);
  const skipsHidden = !isFind && name !== "git" && !LISTS_ALL.test(text);
  return (isFind && folders.length > 0 ? folders : [".", ...folders].slice(0, isFind ? 1 : 3)).map(
    (folder) => ({
      folder,
      skipsHidden,
      only,
    }),
  );
}

/** True for a command that gets names behind `xargs`, from a substitution, or from a loop. */
function isReceivingNames(command: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  const isBehindXargs = all.some(
    ({ words }) =>
      /^(?:xargs|parallel|foreach-object|%)$/.test(words[0]?.text ?? "") &&
      words.slice(1).some(({ text }) => text === command.words[0]?.text),
  );
  const isPiped =
    /^(?:get-content|gc|type|select-string|sls|cpio|tar|rsync)$/.test(getCommandName(command) ?? "") &&
    command.input === "stream";
  return isBehindXargs || isPiped || command.words.slice(1).some(({ text }) => text.includes(UNKNOWN));
}
