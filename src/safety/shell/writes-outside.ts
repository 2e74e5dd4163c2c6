import { isInside, type Platform } from "../paths/paths.ts";
import type { ProgramFacts } from "../programs/program.ts";
import { getProgramFacts } from "../programs/table.ts";
import { isOverwriting } from "./destructive.ts";
import { listCodeLiterals, listInlineCode } from "./inline-code.ts";
import { findLeavingPath, HOMES, type LineGround, resolveDots } from "./reach.ts";
import { createLiteralWord, formatWordForPeople, listFedWords, takeFindRoots, UNKNOWN, type Word } from "./reading.ts";
import type { ProgramCall, ShellScript } from "./script.ts";

/** A place outside the workspace that a line would use. */
export interface OutsidePlace {
  /** As it's spelled. */
  readonly file: string;
  /** "names": code that the line passes as text names the place, for any purpose. */
  readonly how: "writes" | "names";
}

/** Flags with which some programs change their operands in place. */
const IN_PLACE_FLAG = /^-(?:[a-zA-Z]*i|-in-?place|l?w$|-write|-fix)/;

/** Flags of any program that name its output, or the folder in which it works. */
const WRITING_FLAG =
  /^(?:-o|-O|-P|-C|-D|-t|-d|-B|-outform|-out|-keyout|-of|--(?:out\w*|output\S*|dest\w*|destination\S*|target\S*|prefix|root\S*|install\S*|directory\S*|dir|cwd|chdir|work-?tree|git-dir|project\S*|build\S*|into|to|save\S*|write\S*|log-?file\S*|logfile|log|report\S*|cache\S*|data-?dir|userbase|home|user-data-dir|download\S*|extract\S*|exec-prefix|bindir|libdir|datadir|sysconfdir|basetemp|junit-?xml|cov-report|export\S*|dump\S*|cookie-jar|trace\S*|profile\S*|pidfile|pid-file|archive|file|fprint\w*|output-document|directory-prefix|config-dir|state|state-out|backup\S*|global-dir|modules-folder|store-dir|manifest-path|upload-file|emit\S*|artifacts\S*|tsBuildInfoFile|declarationDir|outDir|outFile|rootDir|coverage\S*)|-outDir|-outFile|-fprint0?|-fprintf|-fls|-OutFile|-OutputPath|-DestinationPath|-Destination|-FilePath|-OutputDirectory|-jar|-keystore)$/i;
/** Settings of builds, as arguments or before a command, that name the place to install to. */
const WRITING_VARIABLE =
  /^(?:DESTDIR|prefix|PREFIX|INSTALL_ROOT|O|OUT\w*|BUILD_?DIR|builddir|GOBIN|GOPATH|CARGO_INSTALL_ROOT|CARGO_HOME|CARGO_TARGET_DIR|npm_config_(?:prefix|cache)|PIP_TARGET|PIP_PREFIX|PYTHONUSERBASE|VIRTUAL_ENV|GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|XDG_\w+_HOME|HISTFILE|of|bindir|libdir|sysconfdir|-D\w*(?:PREFIX|DIR|PATH))=(.+)$/s;

/** Places that anyone may write to. */
const FREE =
  /^\/(?:tmp|var\/tmp|private\/tmp)(?:\/|$)|^\/dev\/(?:null|zero|tty|stdout|stderr|stdin|fd\/\d+|u?random|full)$/;

/** A command as it may be spelled, with the words that name what it writes. */
export interface WritingCall {
  readonly call: ProgramCall;
  readonly written: readonly Word[];
}

/** The first place outside the workspace that a line openly writes to, removes, or names in code that it passes as text. */
export function findOutsidePlace(
  script: ShellScript,
  spelled: readonly WritingCall[],
  ground: LineGround,
): OutsidePlace | undefined {
  let bases = ground.starts;
  const createPlace = (word: Word, how: OutsidePlace["how"]) => ({ file: formatWordForPeople(word), how });
  const listed = script.commands.some(isWritingUnknownFiles) ? findListedOutsidePlace(script, ground) : undefined;
  if (listed) return createPlace(listed, "writes");
  for (const { call, written } of spelled) {
    const entered = findEnteredFolderWord(call);
    if (entered) {
      if (isLeadingOutside(entered, ground, bases) && mayChangeEnteredFolder(script, call))
        return createPlace(entered, "writes");
      const below = bases.flatMap((base) => listEnteredInside(entered, base, ground));
      bases = below.length > 0 && isChained(script) ? below : [...bases, ...below];
    }
    const outside = written.find((word) => isLeadingOutside(word, ground, bases) || isComputedFolder(word, script));
    if (outside) return createPlace(outside, "writes");
    const named = listPlacesInCode(call).find((word) => isLeadingOutside(word, ground, bases));
    if (named) return createPlace(named, "names");
  }
  return undefined;
}

/** True for a path in a computed folder, as in `$(dirname "$PWD")/x`, unless the folder is known to be inside. */
function isComputedFolder({ text, variables }: Word, { commands }: ShellScript): boolean {
  if (!text.startsWith(`${UNKNOWN}/`) || variables.length > 0) return false;
  return !commands.some(
    ({ name, texts: [first] }) => /^(?:mktemp|pwd|basename)$/.test(name) || (name === "git" && first === "rev-parse"),
  );
}

/** True for a command that writes to or removes files whose names come from elsewhere. */
function isWritingUnknownFiles({ name, program, words, args }: ProgramCall): boolean {
  if (name === "xargs" || name === "parallel")
    return words
      .map(({ text }) => getProgramFacts(text))
      .some(({ writes, runs }) => writes !== undefined || runs === "script");
  return program.writes !== undefined && args.some(({ text, isHome }) => text.startsWith(UNKNOWN) && !isHome);
}

/** A place outside the workspace that a line lists or computes, from which the names of the files that it writes to may come. */
function findListedOutsidePlace({ commands }: ShellScript, ground: LineGround): Word | undefined {
  const listing = commands.filter(({ program }) => program.lists !== undefined);
  return [...listing.flatMap(({ args }) => args), ...commands.flatMap(listFedWords)]
    .flatMap((word) => (/\s/.test(word.text) ? listEmbeddedPaths(word) : [word]))
    .find((word) => isPathLike(word) && isLeadingOutside(word, ground, ground.starts));
}

/** The first place outside the workspace that code names. */
export function findOutsidePlaceInCode(code: string, ground: LineGround): string | undefined {
  return listCodeLiterals(code).find(
    (text) => isPath(text) && isLeadingOutside(createPathWord(text), ground, ground.starts),
  );
}

/** Words that name what a call deletes or overwrites. */
export function listRewrittenWords({ name, program, operands, redirects, texts }: ProgramCall): readonly Word[] {
  const overwritten = redirects.flatMap(({ operator, target }) =>
    isOverwriting(operator) && !/^(?:\d+|-)$/.test(target.text) ? [target] : [],
  );
  if (program.removes) return [...overwritten, ...operands];
  if (name === "find" && texts.includes("-delete")) return [...overwritten, operands[0] ?? createLiteralWord(".")];
  if (name === "tee" && !texts.some((text) => /^-\w*a|^--append/.test(text))) return [...overwritten, ...operands];
  if (name === "git" && operands[0]?.text === "rm") return [...overwritten, ...operands.slice(1)];
  if (program.writes === "last" && !/^(?:hg|svn|virtualenv|split|csplit)$/.test(name))
    return [...overwritten, ...operands.slice(-1).filter(({ text }) => !text.endsWith("/") && text !== ".")];
  return overwritten;
}

function isPath(text: string): boolean {
  return /^(?:~|\.\.(?:\/|$)|\/(?!\/)|[a-z]:[\\/]|file:\/\/)/i.test(text) && !/\s/.test(text.slice(0, 40));
}

function createPathWord(text: string): Word {
  return { ...createLiteralWord(text.replace(/^file:\/\//, "")), isHome: text.startsWith("~") };
}

function isLeadingOutside(word: Word, { folders, platform }: LineGround, bases: readonly string[]): boolean {
  if (word.isHome && !/^~[+-]/.test(word.text)) return true;
  const [variable = ""] = word.variables;
  if (word.text.startsWith(UNKNOWN) && HOMES.has(variable)) return true;
  if (
    word.text.startsWith(UNKNOWN) &&
    /^(?:OLDPWD|XDG_\w+|PREFIX|GOPATH|CARGO_HOME|NVM_DIR|APPDATA|LOCALAPPDATA|env:(?:APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles|windir|TEMP_?ROOT))$/i.test(
      variable,
    )
  )
    return true;
  if (/^(?:PWD|env:PWD)$/.test(variable) && word.text.startsWith(UNKNOWN))
    return bases.some((base) => isOut(resolveDots(`${base}/${word.text.slice(1)}`), folders, platform));
  return bases.some((base) => {
    const path = findLeavingPath(word, base);
    return path !== undefined && isOut(path, folders, platform);
  });
}

function isOut(path: string, folders: readonly string[], platform: Platform): boolean {
  return !FREE.test(path) && !isInside(path, folders, platform);
}

function findEnteredFolderWord({ program, args }: ProgramCall): Word | undefined {
  if (program.enters === undefined) return undefined;
  return args.find(({ text }) => !/^-[LPe@]*$|^--$/.test(text)) ?? createPathWord("~");
}

/** The folder below the workspace that a line enters, from which further relative paths start. */
function listEnteredInside(word: Word, base: string, { folders, platform }: LineGround): readonly string[] {
  if (word.isHome || word.text.includes(UNKNOWN) || /^(?:\/|[a-z]:)/i.test(word.text)) return [];
  const path = resolveDots(`${base}/${word.text}`);
  return isInside(path, folders, platform) ? [path] : [];
}

/** True for a line in which each command runs only after the previous ones succeeded. */
function isChained({ plain = [], wrapped }: ShellScript): boolean {
  return plain.length > 0 && wrapped.length === 0 && plain.slice(1).every(({ joint }) => joint === "&&");
}

/** True if another command of the line isn't known to only read, so that it may change the folder that the line enters. */
function mayChangeEnteredFolder({ commands }: ShellScript, entering: ProgramCall): boolean {
  return commands.some((call) => {
    if (call === entering || call.name === "" || findEnteredFolderWord(call)) return false;
    const writes = call.redirects.some(
      ({ operator, target }) => operator.includes(">") && !/^(?:\/dev\/null|\d|-)$/.test(target.text),
    );
    return writes || (!isReader(call.program) && !/^(?:source|\.|exit|return|export)$/.test(call.name));
  });
}

function isReader({ reads, alsoWrites }: ProgramFacts): boolean {
  return reads !== undefined && !alsoWrites;
}

/** Files that a command writes to: by its redirections, its arguments, its flags and its settings. */
export function listWrittenWords({
  name,
  program,
  args,
  texts,
  operands,
  redirects,
  assignments,
}: ProgramCall): readonly Word[] {
  const redirected = redirects.flatMap(({ operator, target }) =>
    /[<>]/.test(operator) && !operator.includes("<<") && !/^(?:\d+|-)$/.test(target.text) ? [target] : [],
  );
  const found = [...redirected, ...[...assignments, ...operands, ...args].flatMap(listSettingPlaces)];
  if (isReader(program)) return found;
  found.push(...listWritingFlagValues(program.otherFlags, args));
  const { writes, inPlace, creates } = program;
  if (writes === "all") return [...found, ...operands];
  if (writes === "last") return [...found, ...operands.slice(-1)];
  if (name === "ln" || name === "link") {
    const link = operands.at(-1);
    return [...found, ...operands.slice(-1), ...operands.slice(0, -1).map((word) => resolveLinkTarget(word, link))];
  }
  const unpacks = UNPACKING_ANYWHERE.find(({ names }) => names.test(name));
  if (unpacks && texts.some((text) => unpacks.flag.test(text))) return [...found, createPathWord("/")];
  if (name === "uniq") return [...found, ...operands.slice(1, 2)];
  if (name === "find") return isChangingFoundFiles(texts) ? [...found, ...takeFindRoots(args)] : found;
  if (inPlace && texts.some((text) => IN_PLACE_FLAG.test(text))) return [...found, ...operands];
  return [operands[0], args[0]].some((word) => word && creates?.test(word.text))
    ? [...found, ...operands.filter(isPathLike)]
    : found;
}

/** Flags with which programs unpack to the places that an archive names. */
const UNPACKING_ANYWHERE = [
  { names: /^(?:bsd)?tar$/, flag: /^-?[a-zA-Z]*P[a-zA-Z]*$|^--absolute-n/ },
  { names: /^unzip$/, flag: /^-[a-zA-Z]*:/ },
];

/** The target of a link: a relative one starts in the link's own folder. */
function resolveLinkTarget(word: Word, link: Word | undefined): Word {
  const isPlain = !word.isHome && !word.text.startsWith("/") && !word.text.includes(UNKNOWN);
  const folder = link?.text.replace(/[^/]*$/, "") ?? "";
  return isPlain && link ? { ...word, text: `${folder}${word.text}` } : word;
}

/** True for a `find` that deletes, or starts something other than a reader. */
function isChangingFoundFiles(texts: readonly string[]): boolean {
  return texts.some(
    (text, at) =>
      text === "-delete" || (/^-(?:exec|ok)(?:dir)?$/.test(text) && !isReader(getProgramFacts(texts[at + 1] ?? ""))),
  );
}

function isPathLike({ text, isHome, variables }: Word): boolean {
  return isHome || (variables.length > 0 && text.startsWith(UNKNOWN)) || /^(?:\/|\.\.(?:\/|$)|[a-z]:[\\/])/i.test(text);
}

/** Values of flags that name a program's output: `-o x`, `-ox`, `--output x`, `--output=x`. */
function listWritingFlagValues(otherFlags: RegExp | undefined, words: readonly Word[]): readonly Word[] {
  const isWritingFlag = (flag: string): boolean => WRITING_FLAG.test(flag) && !otherFlags?.test(flag);
  return words.flatMap((word, at) => {
    const { text } = word;
    const [, long = "", value = ""] = /^(--?[\w-]+)[=:](.+)$/s.exec(text) ?? [];
    if (value !== "") return isWritingFlag(long) ? [replaceWordText(word, value)] : [];
    const [, short = "", attached = ""] = /^(-[oOPCDtdB])((?:~|\.\.|\/|\0).*)$/s.exec(text) ?? [];
    if (attached !== "") return isWritingFlag(short) ? [replaceWordText(word, attached)] : [];
    const before = words[at - 1]?.text ?? "";
    const last = /^-[a-zA-Z]{2,8}$/.test(before) ? `-${before.at(-1)}` : before;
    return (isWritingFlag(before) || (isWritingFlag(last) && /[oOCPd]$/.test(last))) && !text.startsWith("-")
      ? [word]
      : [];
  });
}

/** The place in `DESTDIR=/opt`, `of=/opt/x` or `-DCMAKE_INSTALL_PREFIX=/opt`. */
function listSettingPlaces(word: Word): readonly Word[] {
  const value = WRITING_VARIABLE.exec(word.text)?.[1];
  return value === undefined ? [] : [replaceWordText(word, value)];
}

function replaceWordText(word: Word, text: string): Word {
  return { ...word, text, isHome: text.startsWith("~") };
}

/** Paths of homes and systems inside a text. */
function listEmbeddedPaths({ text }: Word): readonly Word[] {
  const found = text
    .slice(0, 4000)
    .matchAll(/(?<![\w./:])((?:~|\/(?:home|Users|root|etc|opt|usr\/local|var|srv|mnt|media))\/[^\s'"();,<>|&}\]]+)/g);
  return [...found].map(([, path = ""]) => createPathWord(path));
}

/** Places named in code that a command passes as text. */
function listPlacesInCode(call: ProgramCall): readonly Word[] {
  const { name, program, args, words } = call;
  const passed = [...args, ...listFedWords(call)].filter(({ text }) => /[\s([]/.test(text));
  const embedded = name === "" || program.takesText ? [] : passed.flatMap(listEmbeddedPaths);
  if (embedded.length > 0) return embedded;
  const isTimed = /^python[\d.]*$/.test(name) && words.some(({ text }) => text === "timeit");
  if (program.runs === "script" && !isTimed) return listScriptArguments(args);
  const codes = isTimed ? words.map(({ text }) => text) : listInlineCode(call);
  return codes.flatMap(listCodeLiterals).filter(isPath).map(createPathWord);
}

/** Words after `sh -c SCRIPT` and `sh -s`, with which the script may do anything. */
function listScriptArguments(words: readonly Word[]): readonly Word[] {
  const at = words.findIndex(({ text }) => /^-\w*[cs]$/.test(text));
  if (at === -1) return [];
  return words.slice(words[at]?.text.endsWith("c") ? at + 2 : at + 1).filter(isPathLike);
}
