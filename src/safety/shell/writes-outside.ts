import { isInside, type Platform } from "../paths/paths.ts";
import { getProgramFacts } from "../programs/table.ts";
import { mayOnlyRead } from "../read-only/table.ts";
import { listCodeLiterals, listInlineCode } from "./inline-code.ts";
import { findLeavingPath, HOMES, resolveDots } from "./reach.ts";
import {
  createLiteralWord,
  formatWordForPeople,
  getCalledFacts,
  getCommandName,
  type ShellScript,
  type SimpleCommand,
  takeFindRoots,
  UNKNOWN,
  type Word,
} from "./reading.ts";
import { expandSpellings } from "./spelling.ts";

/** The workspace around a line. */
export interface LineGround {
  readonly folders: readonly string[];
  readonly platform: Platform;
  /** The folder in which it starts; absent: any workspace folder. */
  readonly cwd?: string | undefined;
}

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

/** The first place outside the workspace that a line openly writes to, removes, or names in code that it passes as text. */
export function findOutsidePlace(script: ShellScript, ground: LineGround): OutsidePlace | undefined {
  const { cwd, folders } = ground;
  let bases = cwd === undefined ? folders : [cwd];
  const listed = script.commands.some(isWritingUnknownFiles)
    ? findListedOutsidePlace(script, ground, bases)
    : undefined;
  if (listed) return { file: formatWordForPeople(listed), how: "writes" };
  for (const command of expandSpellings(script)) {
    const entered = findEnteredFolderWord(command);
    if (entered) {
      if (isLeadingOutside(entered, ground, bases) && mayChangeEnteredFolder(script, command))
        return { file: formatWordForPeople(entered), how: "writes" };
      const below = bases.flatMap((base) => listEnteredInside(entered, base, ground));
      bases = below.length > 0 && isChained(script) ? below : [...bases, ...below];
    }
    const written = listWrittenWords(command).find(
      (word) => isLeadingOutside(word, ground, bases) || isComputedFolder(word, script),
    );
    if (written) return { file: formatWordForPeople(written), how: "writes" };
    const named = listPlacesInCode(command).find((word) => isLeadingOutside(word, ground, bases));
    if (named) return { file: formatWordForPeople(named), how: "names" };
  }
  return undefined;
}

/** True for a path in a computed folder, as in `$(dirname "$PWD")/x`, unless the folder is known to be inside. */
function isComputedFolder({ text, variables }: Word, { commands }: ShellScript): boolean {
  if (!text.startsWith(`${UNKNOWN}/`) || variables.length > 0) return false;
  return !commands.some((command) => {
    const [, first] = command.words;
    return (
      /^(?:mktemp|pwd|basename)$/.test(getCommandName(command) ?? "") ||
      (getCommandName(command) === "git" && first?.text === "rev-parse")
    );
  });
}

/** True for a command that writes to or removes files whose names come from elsewhere. */
function isWritingUnknownFiles(command: SimpleCommand): boolean {
  const name = getCommandName(command) ?? "";
  if (name === "xargs" || name === "parallel")
    return command.words
      .map(({ text }) => getProgramFacts(text))
      .some(({ writes, runs }) => writes !== undefined || runs === "script");
  if (getProgramFacts(name).writes === undefined) return false;
  return command.words.slice(1).some(({ text, isHome }) => text.startsWith(UNKNOWN) && !isHome);
}

/** A place outside the workspace that a line lists or computes, from which the names of the files that it writes to may come. */
function findListedOutsidePlace(script: ShellScript, ground: LineGround, bases: readonly string[]): Word | undefined {
  const sources = script.commands.filter((command) => getCalledFacts(command).lists !== undefined);
  const fed = script.commands.flatMap(({ redirects }) =>
    redirects.filter(({ operator }) => operator.includes("<<")).map(({ target }) => target),
  );
  return [...sources.flatMap(({ words }) => words.slice(1)), ...fed]
    .flatMap((word) => (/\s/.test(word.text) ? listEmbeddedPaths(word) : [word]))
    .find((word) => isPathLike(word) && isLeadingOutside(word, ground, bases));
}

/** The first place outside the workspace that code names. */
export function findOutsidePlaceInCode(code: string, ground: LineGround): string | undefined {
  const bases = ground.cwd === undefined ? ground.folders : [ground.cwd];
  return listCodeLiterals(code).find((text) => isPath(text) && isLeadingOutside(createPathWord(text), ground, bases));
}

/** Names of the files to which a line would write. */
export function listWrittenNames(script: ShellScript): readonly string[] {
  return expandSpellings(script)
    .flatMap(listWrittenWords)
    .map(({ text }) => text);
}

/** Words of a line that name what it deletes or overwrites. */
export function listRewrittenWords(script: ShellScript): readonly Word[] {
  return expandSpellings(script).flatMap((command) => {
    const operands = command.words.slice(1).filter(({ text }) => !text.startsWith("-"));
    const overwritten = command.redirects.flatMap(({ operator, target }) =>
      /(?<!>)>(?![>&])/.test(operator) && !/^(?:\d+|-)$/.test(target.text) ? [target] : [],
    );
    const name = getCommandName(command) ?? "";
    const { removes, writes } = getProgramFacts(name);
    if (removes) return [...overwritten, ...operands];
    if (name === "find" && command.words.some(({ text }) => text === "-delete"))
      return [...overwritten, ...(operands.length > 0 ? operands.slice(0, 1) : [createLiteralWord(".")])];
    if (name === "tee")
      return command.words.some(({ text }) => /^-\w*a|^--append/.test(text))
        ? overwritten
        : [...overwritten, ...operands];
    if (name === "git" && operands[0]?.text === "rm") return [...overwritten, ...operands.slice(1)];
    if (writes === "last" && !/^(?:hg|svn|virtualenv|split|csplit)$/.test(name))
      return [...overwritten, ...operands.slice(-1).filter(({ text }) => !text.endsWith("/") && text !== ".")];
    return overwritten;
  });
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

function findEnteredFolderWord(command: SimpleCommand): Word | undefined {
  if (getCalledFacts(command).enters === undefined) return undefined;
  const [, ...words] = command.words;
  return words.find(({ text }) => !/^-[LPe@]*$|^--$/.test(text)) ?? createPathWord("~");
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
function mayChangeEnteredFolder(script: ShellScript, entering: SimpleCommand): boolean {
  return script.commands.some((command) => {
    const name = getCommandName(command);
    if (command === entering || name === "" || findEnteredFolderWord(command)) return false;
    const writes = command.redirects.some(
      ({ operator, target }) => operator.includes(">") && !/^(?:\/dev\/null|\d|-)$/.test(target.text),
    );
    return writes || name === undefined || (!isReader(name) && !/^(?:source|\.|exit|return|export)$/.test(name));
  });
}

function isReader(name: string): boolean {
  return mayOnlyRead(name) && !getProgramFacts(name).alsoWrites;
}

/** Files that a command writes to: by its redirections, its arguments, its flags and its settings. */
function listWrittenWords(command: SimpleCommand): readonly Word[] {
  const name = getCommandName(command) ?? "";
  const [, ...words] = command.words;
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  const redirected = command.redirects.flatMap(({ operator, target }) =>
    /[<>]/.test(operator) && !operator.includes("<<") && !/^(?:\d+|-)$/.test(target.text) ? [target] : [],
  );
  const settings = [...command.assignments, ...operands, ...words].flatMap((word) => listSettingPlaces(word));
  const found = [...redirected, ...settings];
  if (isReader(name)) return found;
  found.push(...listWritingFlagValues(name, words));
  const { writes, inPlace, creates } = getProgramFacts(name);
  if (writes === "all") return [...found, ...operands];
  if (writes === "last") return [...found, ...operands.slice(-1)];
  if (name === "ln" || name === "link")
    return [
      ...found,
      ...operands.slice(-1),
      ...operands.slice(0, -1).map((word) => resolveLinkTarget(word, operands.at(-1))),
    ];
  if (/^(?:bsd)?tar$/.test(name) && words.some(({ text }) => /^-?[a-zA-Z]*P[a-zA-Z]*$|^--absolute-n/.test(text)))
    return [...found, createPathWord("/")];
  if (name === "unzip" && words.some(({ text }) => /^-[a-zA-Z]*:/.test(text))) return [...found, createPathWord("/")];
  if (name === "uniq") return [...found, ...operands.slice(1, 2)];
  if (name === "find") return isChangingFoundFiles(words) ? [...found, ...takeFindRoots(words)] : found;
  if (inPlace && words.some(({ text }) => IN_PLACE_FLAG.test(text))) return [...found, ...operands];
  return [operands[0], words[0]].some((word) => word && creates?.test(word.text))
    ? [...found, ...operands.filter(isPathLike)]
    : found;
}

/** The target of a link: a relative one starts in the link's own folder. */
function resolveLinkTarget(word: Word, link: Word | undefined): Word {
  const isPlain = !word.isHome && !word.text.startsWith("/") && !word.text.includes(UNKNOWN);
  const folder = link?.text.replace(/[^/]*$/, "") ?? "";
  return isPlain && link ? { ...word, text: `${folder}${word.text}` } : word;
}

/** True for a `find` that deletes, or starts something other than a reader. */
function isChangingFoundFiles(words: readonly Word[]): boolean {
  return words.some(
    ({ text }, at) =>
      text === "-delete" || (/^-(?:exec|ok)(?:dir)?$/.test(text) && !isReader(words[at + 1]?.text ?? "")),
  );
}

function isPathLike({ text, isHome, variables }: Word): boolean {
  return isHome || (variables.length > 0 && text.startsWith(UNKNOWN)) || /^(?:\/|\.\.(?:\/|$)|[a-z]:[\\/])/i.test(text);
}

/** Values of flags that name a program's output: `-o x`, `-ox`, `--output x`, `--output=x`. */
function listWritingFlagValues(name: string, words: readonly Word[]): readonly Word[] {
  const { otherFlags } = getProgramFacts(name);
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
function listPlacesInCode(command: SimpleCommand): readonly Word[] {
  const name = getCommandName(command) ?? "";
  const fed = command.redirects.filter(({ operator }) => operator.includes("<<")).map(({ target }) => target);
  const texts = [...command.words.slice(1), ...fed].filter(({ text }) => /[\s([]/.test(text));
  const { takesText, runs } = getProgramFacts(name);
  const embedded = name === "" || takesText ? [] : texts.flatMap(listEmbeddedPaths);
  const isTimed = /^python[\d.]*$/.test(name) && command.words.some(({ text }) => text === "timeit");
  if (embedded.length > 0) return embedded;
  if (isTimed)
    return command.words
      .flatMap(({ text }) => listCodeLiterals(text))
      .filter(isPath)
      .map(createPathWord);
  if (runs === "script") return listScriptArguments(command.words.slice(1));
  return listInlineCode(command).flatMap(listCodeLiterals).filter(isPath).map(createPathWord);
}

/** Words after `sh -c SCRIPT` and `sh -s`, with which the script may do anything. */
function listScriptArguments(words: readonly Word[]): readonly Word[] {
  const at = words.findIndex(({ text }) => /^-\w*[cs]$/.test(text));
  if (at === -1) return [];
  return words.slice(words[at]?.text.endsWith("c") ? at + 2 : at + 1).filter(isPathLike);
}
