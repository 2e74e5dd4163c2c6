import type { FolderOutline } from "../../node/search/folder-outline.ts";
import { estimateNameTokens, formatShownName } from "./shown-name.ts";

/** Shares of the whole tree's tokens for its first line and for each further one. */
const FIRST_SHARE = 1 / 2;
const LINE_SHARE = 2 / 5;

/** A folder with what is known to be below it. */
interface Folder {
  /** Label with its final `/`; "" for the run's own folder. */
  readonly label: string;
  readonly files: string[];
  readonly folders: Folder[];
  /** Number of files at any depth, and of source files among them. */
  count: number;
  code: number;
  /** The folder contains more than is known. */
  isCut: boolean;
}

/**
 * Renders files and folders in few tokens: whole paths if they fit; else the top level, then source folders level by level, then the
 * others, one line for each folder. Undefined if there are none.
 */
export function renderWorkspaceTree(outline: FolderOutline, maxTokens: number): string | undefined {
  const root = buildTree(outline);
  if (root.files.length + root.folders.length === 0) return undefined;
  const whole = renderWholePaths(outline);
  if (whole && estimateNameTokens(whole) <= maxTokens) return whole;
  const lines: string[] = [];
  let room = maxTokens;
  // Every line ends with a line end, which is a token.
  for (const folder of collectShownFolders(root)) {
    const share = Math.floor(maxTokens * (folder === root ? FIRST_SHARE : LINE_SHARE));
    if (folder.files.length + folder.folders.length === 0) continue;
    const line = renderFolderLine(folder, Math.min(share, room));
    if (line === undefined) continue;
    lines.push(line);
    room -= estimateNameTokens(line) + 1;
  }
  return lines.join("\n");
}

/** Every file and empty folder by its whole path, one a line; undefined if not all are known. */
function renderWholePaths({ labels, unread }: FolderOutline): string | undefined {
  if (unread.size > 0 || labels.length > MOST_WHOLE) return undefined;
  const isEmpty = (label: string): boolean => !labels.some((one) => one !== label && one.startsWith(label));
  const shown = labels.filter((label) => !label.endsWith("/") || isEmpty(label));
  return shown
    .toSorted()
    .map((label) => formatShownName(label, LONGEST_PATH))
    .join("\n");
}

/** More names than this never fit, or are better grouped. */
const MOST_WHOLE = 60;
const LONGEST_PATH = 200;

function buildTree({ labels, unread }: FolderOutline): Folder {
  const folders = new Map<string, Folder>();
  const ensureFolder = (label: string): Folder => {
    const known = folders.get(label);
    if (known) return known;
    const made: Folder = { label, files: [], folders: [], count: 0, code: 0, isCut: false };
    folders.set(label, made);
    if (label !== "") ensureFolder(getParentLabel(label)).folders.push(made);
    return made;
  };
  const root = ensureFolder("");
  for (const label of labels)
    if (label.endsWith("/")) ensureFolder(label);
    else ensureFolder(getParentLabel(label)).files.push(label);
  for (const label of unread) ensureFolder(label).isCut = true;
  addCounts(root);
  return root;
}

function getParentLabel(label: string): string {
  return label.slice(0, label.lastIndexOf("/", label.length - 2) + 1);
}

function addCounts(folder: Folder): void {
  folder.count = folder.files.length;
  folder.code = folder.files.filter((file) => CODE.test(file)).length;
  for (const below of folder.folders) {
    addCounts(below);
    folder.count += below.count;
    folder.code += below.code;
    folder.isCut ||= below.isCut;
  }
}

const CODE =
  /\.(?:[cm]?[jt]sx?|py|rs|go|java|kts?|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|clj|exs?|erl|hs|ml|lua|r|jl|dart|vue|svelte|sh|sql)$/i;

/** Lists the folders, those that most deserve a line first. */
function collectShownFolders(root: Folder): readonly Folder[] {
  const source: Folder[] = [];
  const other: Folder[] = [];
  let level = rankFolders(root.folders).map(resolveSingleFolder);
  other.push(...level.filter((folder) => !["source", "hidden"].includes(getRank(folder))));
  for (level = level.filter((folder) => getRank(folder) === "source"); level.length > 0; ) {
    source.push(...level);
    level = level.flatMap(({ folders }) => rankFolders(folders)).map(resolveSingleFolder);
  }
  return [root, ...source, ...other];
}

/** Replaces a folder that contains only one folder with that one. */
function resolveSingleFolder(folder: Folder): Folder {
  const [only, another] = folder.folders;
  return only && !another && folder.files.length === 0 && !folder.isCut ? resolveSingleFolder(only) : folder;
}

/** Sorts folders by importance, then by their files of source code, then by name. */
function rankFolders(folders: readonly Folder[]): readonly Folder[] {
  return folders.toSorted(
    (one, other) =>
      ORDER.indexOf(getRank(one)) - ORDER.indexOf(getRank(other)) ||
      other.code - one.code ||
      (one.label < other.label ? -1 : 1),
  );
}

const ORDER = ["source", "tests", "other", "hidden"] as const;
const SOURCE =
  /^(?:src|source|sources|lib|libs|app|apps|packages|crates|cmd|internal|pkg|modules|services|server|client|backend|frontend)$/i;
const TESTS = /^(?:tests?|specs?|__tests__|e2e|testing|fixtures|testdata)$/i;
const ASIDE = /^(?:docs?|examples?|samples?|scripts?|tools?|vendor|third_party|dist|build|out|target|assets?|media)$/i;

function getRank({ label, code }: Folder): (typeof ORDER)[number] {
  const name = getLastName(label);
  if (name.startsWith(".")) return "hidden";
  if (TESTS.test(name)) return "tests";
  return SOURCE.test(name) || (code > 0 && !ASIDE.test(name)) ? "source" : "other";
}

function getLastName(label: string): string {
  return label.slice(getParentLabel(label).length).replace(/\/$/, "");
}

/** Files that describe a project and its build. They come before all other files; the files in `LAST` come at the end. */
const TELLING =
  /^(?:readme|package\.json$|pyproject\.toml$|setup\.py$|requirements.*\.txt$|cargo\.toml$|go\.mod$|pom\.xml$|build\.gradle|makefile$|cmakelists|dockerfile|gemfile$|composer\.json$|tsconfig\.json$|deno\.json|agents\.md$|.*\.(?:sln|csproj)$)/i;
const LAST = /^\.|^(?:licen[cs]e|changelog|copying)/i;

/** Renders a folder's line: its name, then as many names in it as fit. Undefined if too few do. */
function renderFolderLine(folder: Folder, maxTokens: number): string | undefined {
  const all = listNames(folder);
  const names = all.length > MANY ? all.filter((name) => !name.startsWith(".")) : all;
  const hidden = all.length - names.length;
  const whole = formatFolderLine(folder, names, hidden);
  if (estimateNameTokens(whole) <= maxTokens) return whole;
  let room = maxTokens - estimateNameTokens(formatFolderLine(folder, [], all.length));
  const end = names.findIndex((name) => {
    room -= estimateNameTokens(name) + 1;
    return room < 0;
  });
  return end < FEWEST ? undefined : formatFolderLine(folder, names.slice(0, end), all.length - end);
}

/** A line with fewer of its names isn't worth its tokens. */
const FEWEST = 3;
/** Among more names, those that start with a dot are only counted. */
const MANY = 10;

/** The names in a folder, most informative first. */
function listNames(folder: Folder): readonly string[] {
  const files = folder.files.map(getLastName);
  const isLast = (name: string): boolean => LAST.test(name) && !TELLING.test(name);
  const isHidden = (one: Folder): boolean => getRank(one) === "hidden";
  const below = rankFolders(folder.folders);
  return [
    ...files.filter((name) => TELLING.test(name)).map((name) => formatShownName(name)),
    ...below.filter((one) => !isHidden(one)).map((one) => formatFolderName(one, folder)),
    ...files.filter((name) => !TELLING.test(name) && !isLast(name)).map((name) => formatShownName(name)),
    ...files.filter(isLast).map((name) => formatShownName(name)),
    ...below.filter(isHidden).map((one) => formatFolderName(one, folder)),
  ];
}

function formatFolderLine({ label, isCut, folders }: Folder, names: readonly string[], hidden: number): string {
  const isOpen = isCut && folders.every((one) => !one.isCut);
  const rest = hidden === 0 ? (isOpen ? ["and more"] : []) : [`and ${isOpen ? "over " : ""}${hidden} more`];
  return `${formatShownName(label || "./")} ${[...names, ...rest].join(", ")}`;
}

function formatFolderName(folder: Folder, parent: Folder): string {
  const end = resolveSingleFolder(folder);
  const name = formatShownName(end.label.slice(parent.label.length));
  if (end.count === 0) return name;
  return `${name} (${end.count}${end.isCut ? "+" : ""})`;
}
