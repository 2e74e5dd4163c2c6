import { isInside, type Platform } from "../paths/paths.ts";
import { mayOnlyRead } from "../read-only/table.ts";
import { listCodeLiterals, listInlineCode } from "./inline-code.ts";
import { findLeavingPath, HOMES, resolveDots } from "./reach.ts";
import {
  createLiteralWord,
  getCommandName,
  type ShellScript,
  type SimpleCommand,
  UNKNOWN,
  type Word,
} from "./reading.ts";
import { expandSpellings } from "./spelling.ts";
import { SHELLS } from "./unwrap.ts";

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
  /** "names": code that it passes as text names the place, for any purpose. */
  readonly how: "writes" | "names";
}

/** Programs that write to or remove all files among their arguments. */
const ALL = new Set(
  "rm rmdir unlink mv tee touch mkdir mkfifo mknod truncate shred chmod chown chgrp srm trash trash-put rimraf del-cli sponge vi vim nano emacs ed ex patch mkdirp fallocate rename sqlite3 sqlite duckdb remove-item new-item set-content add-content move-item clear-content out-file tee-object dos2unix unix2dos gzip gunzip bzip2 bunzip2 xz unxz zstd sd rename-item ni ri mi sc ac clc ren del erase rd md expand-archive export-csv export-clixml start-transcript".split(
    " ",
  ),
);
/** Programs that write to their last argument. */
const LAST = new Set(
  "cp install rsync scp copy-item cpi copy xcopy robocopy ditto pax gcp ginstall ffmpeg convert magick mmv pandoc split csplit virtualenv degit sftp wkhtmltopdf hg svn".split(
    " ",
  ),
);
/** Programs that change the files that they get with these flags. */
const IN_PLACE =
  /^(?:g?sed|perl|ruby|gawk|prettier|eslint|black|autopep8|isort|gofmt|goimports|rustfmt|clang-format|yq|npx)$/;
const IN_PLACE_FLAG = /^-(?:[a-zA-Z]*i|-in-?place|l?w$|-write|-fix)/;

/** Flags of any program that name what it writes, or the folder that it works in. */
const WRITING_FLAG =
  /^(?:-o|-O|-P|-C|-D|-t|-d|-B|-outform|-out|-keyout|-of|--(?:out\w*|output\S*|dest\w*|destination\S*|target\S*|prefix|root\S*|install\S*|directory\S*|dir|cwd|chdir|work-?tree|git-dir|project\S*|build\S*|into|to|save\S*|write\S*|log-?file\S*|logfile|log|report\S*|cache\S*|data-?dir|userbase|home|user-data-dir|download\S*|extract\S*|exec-prefix|bindir|libdir|datadir|sysconfdir|basetemp|junit-?xml|cov-report|export\S*|dump\S*|cookie-jar|trace\S*|profile\S*|pidfile|pid-file|archive|file|fprint\w*|output-document|directory-prefix|config-dir|state|state-out|backup\S*|global-dir|modules-folder|store-dir|manifest-path|upload-file|emit\S*|artifacts\S*|tsBuildInfoFile|declarationDir|outDir|outFile|rootDir|coverage\S*)|-outDir|-outFile|-fprint0?|-fprintf|-fls|-OutFile|-OutputPath|-DestinationPath|-Destination|-FilePath|-OutputDirectory|-jar|-keystore)$/i;
/** Programs whose flags with a single letter mean something else. */
const OTHER_FLAGS: Readonly<Record<string, RegExp>> = {
  curl: /^-[dCDtPT]$/,
  grep: /^-[a-zA-Z]$/,
  rg: /^-[a-zA-Z]$/,
  ssh: /^-[a-zA-Z]$/,
  gcc: /^-[BDCP]$/,
  clang: /^-[BDCP]$/,
  cc: /^-[BDCP]$/,
  "c++": /^-[BDCP]$/,
  "g++": /^-[BDCP]$/,
  test: /^-[a-zA-Z]$/,
  "[": /^-[a-zA-Z]$/,
  "[[": /^-[a-zA-Z]$/,
  find: /^-[a-zA-Z]$/,
  ls: /^-[a-zA-Z]$/,
  diff: /^-[a-zA-Z]$|^--to/,
  cut: /^-[a-zA-Z]$/,
  sort: /^-[tkd]$/,
  xargs: /^-[a-zA-Z]$/,
  docker: /^-[a-zA-Z]$/,
  podman: /^-[a-zA-Z]$/,
  date: /^-[a-zA-Z]$/,
  tr: /^-[a-zA-Z]$/,
  python: /^-[a-zA-Z]$/,
  python3: /^-[a-zA-Z]$/,
};

/** Settings of builds, as arguments or before a command, that say where to install. */
const WRITING_VARIABLE =
  /^(?:DESTDIR|prefix|PREFIX|INSTALL_ROOT|O|OUT\w*|BUILD_?DIR|builddir|GOBIN|GOPATH|CARGO_INSTALL_ROOT|CARGO_HOME|CARGO_TARGET_DIR|npm_config_(?:prefix|cache)|PIP_TARGET|PIP_PREFIX|PYTHONUSERBASE|VIRTUAL_ENV|GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|XDG_\w+_HOME|HISTFILE|of|bindir|libdir|sysconfdir|-D\w*(?:PREFIX|DIR|PATH))=(.+)$/s;

/** Subcommands that create or change the place that they name. */
const CREATES =
  /^(?:git (?:clone|init|worktree|archive|bundle|format-patch|submodule|apply|am)|npm (?:init|create|pack|link)|(?:npx|pnpm|bunx|yarn) (?:create\S*|degit|init)|cargo (?:new|init|install)|go (?:mod|install)|dotnet new|python[\d.]* -m|uv (?:venv|init)|poetry new|django-admin startproject|rails new|hg (?:clone|init)|svn (?:checkout|co|export)|tar \S+|zip \S+|7z\w* \S+|jar \S+|ar \S+|cpio \S+|openssl \S+|ssh-keygen \S+|docker cp|podman cp|kubectl cp|ln \S+|link \S+|script \S+|logrotate \S+|wget \S+)$/;

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

/** True for a path in a folder that only a substitution knows, as in `$(dirname "$PWD")/x`, unless it is known to lead inside. */
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

/** True for a command that writes to or removes files whose names come from somewhere else. */
function isWritingUnknownFiles(command: SimpleCommand): boolean {
  const name = getCommandName(command) ?? "";
  if (name === "xargs" || name === "parallel")
    return command.words.some(
      ({ text }) => ALL.has(text) || LAST.has(text) || /^(?:sh|bash|zsh|dash)$/.test(text),
    );
  if (!ALL.has(name) && !LAST.has(name)) return false;
  return command.words.slice(1).some(({ text, isHome }) => text.startsWith(UNKNOWN) && !isHome);
}

/** A place outside the workspace that a line lists or computes, where the names that it writes to may come from. */
function findListedOutsidePlace(
  script: ShellScript,
  ground: LineGround,
  bases: readonly string[],
): Word | undefined {
  const sources = script.commands.filter((command) =>
    /^(?:ls|find|fd|echo|printf|cat|dirname|realpath|readlink|grep|rg|git|awk|sed|head|tail|tree|seq|locate)$/.test(
      getCommandName(command) ?? "",
    ),
  );
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
  return listCodeLiterals(code).find(
    (text) => isPath(text) && isLeadingOutside(createPathWord(text), ground, bases),
  );
}

/** Files of the line that it would write to, by their names. */
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
    if (REMOVERS.has(name)) return [...overwritten, ...operands];
    if (name === "find" && command.words.some(({ text }) => text === "-delete"))
      return [...overwritten, ...(operands.length > 0 ? operands.slice(0, 1) : [createLiteralWord(".")])];
    if (name === "tee")
      return command.words.some(({ text }) => /^-\w*a|^--append/.test(text))
        ? overwritten
        : [...overwritten, ...operands];
    if (name === "git" && operands[0]?.text === "rm") return [...overwritten, ...operands.slice(1)];
    if (LAST.has(name) && !/^(?:hg|svn|unzip|virtualenv|split|csplit)$/.test(name))
      return [
        ...overwritten,
        ...operands.slice(-1).filter(({ text }) => !text.endsWith("/") && text !== "."),
      ];
    return overwritten;
  });
}

/** Programs that remove or empty the files among their arguments. */
const REMOVERS = new Set(
  "rm rmdir unlink shred truncate srm trash trash-put rimraf del-cli mv remove-item ri del erase rd clear-content clc move-item mi".split(
    " ",
  ),
);

function formatWordForPeople({ text, variables }: Word): string {
  return text.replace(UNKNOWN, `$${variables[0] ?? "…"}`).replaceAll(UNKNOWN, "…");
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
  if (!/^(?:cd|pushd|set-location|sl|chdir|push-location)$/.test(getCommandName(command) ?? ""))
    return undefined;
  const [, ...words] = command.words;
  return words.find(({ text }) => !/^-[LPe@]*$|^--$/.test(text)) ?? createPathWord("~");
}

/** The folder below the workspace that a line enters, where further relative paths start. */
function listEnteredInside(word: Word, base: string, { folders, platform }: LineGround): readonly string[] {
  if (word.isHome || word.text.includes(UNKNOWN) || /^(?:\/|[a-z]:)/i.test(word.text)) return [];
  const path = resolveDots(`${base}/${word.text}`);
  return isInside(path, folders, platform) ? [path] : [];
}

/** True for a line whose commands run only after those before them succeeded. */
function isChained({ plain = [], wrapped }: ShellScript): boolean {
  return plain.length > 0 && wrapped.length === 0 && plain.slice(1).every(({ joint }) => joint === "&&");
}

/** True when another command of the line isn't known to only read, so that it may change the folder that the line enters. */
function mayChangeEnteredFolder(script: ShellScript, entering: SimpleCommand): boolean {
  return script.commands.some((command) => {
    const name = getCommandName(command);
    if (command === entering || name === "" || findEnteredFolderWord(command)) return false;
    const writes = command.redirects.some(
      ({ operator, target }) => operator.includes(">") && !/^(?:\/dev\/null|\d|-)$/.test(target.text),
    );
    return (
      writes || name === undefined || (!isReader(name) && !/^(?:source|\.|exit|return|export)$/.test(name))
    );
  });
}

/** Programs that can only read with some of their arguments. */
const ALSO_WRITES =
  /^(?:git|sort|find|awk|gawk|mawk|sed|tar|unzip|gzip|npm|pip3?|docker|kubectl|go|env|date|uniq)$/;

function isReader(name: string): boolean {
  return mayOnlyRead(name) && !ALSO_WRITES.test(name);
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
  if (ALL.has(name)) return [...found, ...operands];
  if (LAST.has(name)) return [...found, ...operands.slice(-1)];
  if (name === "ln" || name === "link")
    return [
      ...found,
      ...operands.slice(-1),
      ...operands.slice(0, -1).map((word) => resolveLinkTarget(word, operands.at(-1))),
    ];
  if (
    /^(?:bsd)?tar$/.test(name) &&
    words.some(({ text }) => /^-?[a-zA-Z]*P[a-zA-Z]*$|^--absolute-n/.test(text))
  )
    return [...found, createPathWord("/")];
  if (name === "unzip" && words.some(({ text }) => /^-[a-zA-Z]*:/.test(text)))
    return [...found, createPathWord("/")];
  if (name === "uniq") return [...found, ...operands.slice(1, 2)];
  if (name === "find") return isChangingFoundFiles(words) ? [...found, ...takeFindRoots(words)] : found;
  if (IN_PLACE.test(name) && words.some(({ text }) => IN_PLACE_FLAG.test(text)))
    return [...found, ...operands];
  const first = operands[0]?.text ?? words[0]?.text ?? "";
  return CREATES.test(`${name} ${first}`) || CREATES.test(`${name} ${words[0]?.text ?? ""}`)
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

function takeFindRoots(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex(({ text }) => /^[-!(]/.test(text));
  return end === -1 ? words : words.slice(0, end);
}

function isPathLike({ text, isHome, variables }: Word): boolean {
  return (
    isHome ||
    (variables.length > 0 && text.startsWith(UNKNOWN)) ||
    /^(?:\/|\.\.(?:\/|$)|[a-z]:[\\/])/i.test(text)
  );
}

/** Values of flags that name what a program writes: `-o x`, `-ox`, `--output x`, `--output=x`. */
function listWritingFlagValues(name: string, words: readonly Word[]): readonly Word[] {
  const other = OTHER_FLAGS[name];
  const isWritingFlag = (flag: string): boolean => WRITING_FLAG.test(flag) && !other?.test(flag);
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

/** Programs whose arguments with blanks are only text. */
const TAKES_TEXT =
  /^(?:echo|printf|git|gh|glab|[ef]?grep|rg|jq|curl|wget|cat|tee|logger|say|notify-send|cowsay|)$/;

/** Paths of homes and systems inside a text. */
function listEmbeddedPaths({ text }: Word): readonly Word[] {
  const found = text
    .slice(0, 4000)
    .matchAll(
      /(?<![\w./:])((?:~|\/(?:home|Users|root|etc|opt|usr\/local|var|srv|mnt|media))\/[^\s'"();,<>|&}\]]+)/g,
    );
  return [...found].map(([, path = ""]) => createPathWord(path));
}

/** Places named in code that a command passes as text. */
function listPlacesInCode(command: SimpleCommand): readonly Word[] {
  const name = getCommandName(command) ?? "";
  const fed = command.redirects.filter(({ operator }) => operator.includes("<<")).map(({ target }) => target);
  const texts = [...command.words.slice(1), ...fed].filter(({ text }) => /[\s([]/.test(text));
  const embedded = TAKES_TEXT.test(name) ? [] : texts.flatMap(listEmbeddedPaths);
  const isTimed = /^python[\d.]*$/.test(name) && command.words.some(({ text }) => text === "timeit");
  if (embedded.length > 0) return embedded;
  if (isTimed)
    return command.words
      .flatMap(({ text }) => listCodeLiterals(text))
      .filter(isPath)
      .map(createPathWord);
  if (SHELLS.has(name)) return listScriptArguments(command.words.slice(1));
  return listInlineCode(command).flatMap(listCodeLiterals).filter(isPath).map(createPathWord);
}

/** Words after `sh -c SCRIPT` and `sh -s`, with which the script may do anything. */
function listScriptArguments(words: readonly Word[]): readonly Word[] {
  const at = words.findIndex(({ text }) => /^-\w*[cs]$/.test(text));
  if (at === -1) return [];
  return words.slice(words[at]?.text.endsWith("c") ? at + 2 : at + 1).filter(isPathLike);
}
