import { readdir } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { cutText, escapeInvisible, isAscii } from "../../core/base/text.ts";
import { HOME } from "../../runs/store/run-folder.ts";
import type { GuardedFiles } from "../../safety/paths/guarded-reader.ts";
import { readOwnText } from "./own-files.ts";

/** A folder with commands or agents of one's own, each in a file. */
interface OwnPlace {
  /** Below the workspace folder, or below the home folder for the user's own. */
  readonly folder: string;
  /** How the names of its files end. */
  readonly ending: string;
  readonly by?: "user";
  /** Comes before a name that another place has taken. */
  readonly label: string;
}

/** The folder in which VS Code keeps the user's own prompts and agents. */
const EDITOR_FOLDER = "VS Code";

const EDITOR = { folder: EDITOR_FOLDER, by: "user", label: "vscode" } as const;

/** All places, in the order in which names are given. */
const PLACES = {
  commands: [
    { folder: `${HOME}/commands`, ending: ".md", by: "user", label: "autogpt" },
    { folder: ".claude/commands", ending: ".md", by: "user", label: "claude" },
    { ...EDITOR, ending: ".prompt.md" },
    { folder: `${HOME}/commands`, ending: ".md", label: "autogpt" },
    { folder: ".github/prompts", ending: ".prompt.md", label: "github" },
    { folder: ".claude/commands", ending: ".md", label: "claude" },
  ],
  agents: [
    { folder: ".claude/agents", ending: ".md", by: "user", label: "claude" },
    { folder: ".copilot/agents", ending: ".md", by: "user", label: "copilot" },
    { ...EDITOR, ending: ".agent.md" },
    { ...EDITOR, ending: ".chatmode.md" },
    { folder: ".github/agents", ending: ".md", label: "github" },
    { folder: ".github/chatmodes", ending: ".chatmode.md", label: "github" },
    { folder: ".claude/agents", ending: ".md", label: "claude" },
  ],
} as const satisfies Readonly<Record<string, readonly OwnPlace[]>>;

/** Where the files of one's own are. */
export interface OwnFilePlaces {
  /** Those of the workspace folder; absent where it isn't trusted, or there is none. */
  readonly files?: GuardedFiles | undefined;
  readonly home: string;
  /** VS Code's folder for the user's prompts, if there is one. */
  readonly prompts?: string | undefined;
  /** `.autogpt` in the workspace folder is a folder, not a link. */
  readonly isOwn: boolean;
}

/** A file of one's own. */
export interface OwnFile {
  /** Unique among the files of its kind, in any case. */
  readonly name: string;
  /** Relative to the workspace folder, or below the home folder, `~`. */
  readonly file: string;
  readonly text: string;
  /** Absent for the repository's. */
  readonly by?: "user";
}

/** Files, and why others were left out, each as a sentence for people. */
export interface OwnFilesFound {
  readonly found: readonly OwnFile[];
  readonly unread: readonly string[];
}

/** A file with the name that it's given unless that is taken. */
interface PlacedFile extends OwnFile {
  readonly label: string;
}

const MOST_FILES = 200;
const MAX_SHOWN = 80;

/**
 * Reads the commands or agents of the user and the repository. A text counts once; the user's names come first. `findName` finds the name
 * that a text gives itself.
 */
export async function readOwnPlaces(
  kind: keyof typeof PLACES,
  places: OwnFilePlaces,
  findName: (text: string) => string | undefined = () => undefined,
): Promise<OwnFilesFound> {
  const unread: string[] = [];
  const all = await Promise.all(PLACES[kind].map((place) => readPlace(place, places, unread)));
  const texts = new Set<string>();
  const files = all.flat().filter(({ text }) => !texts.has(text) && texts.add(text));
  const named = files.map((file) => ({ ...file, name: findName(file.text) ?? file.name }));
  return { found: await giveNames(named, unread), unread: [...new Set(unread)] };
}

async function readPlace(place: OwnPlace, places: OwnFilePlaces, unread: string[]): Promise<readonly PlacedFile[]> {
  const { folder, ending, by, label } = place;
  const from = by ? createOwnReader(place, places) : createRepositoryReader(place, places);
  if (!from) return [];
  try {
    const { names, more } = await from.list();
    if (more) unread.push(`${folder} has more than ${MOST_FILES} files; the others aren't read.`);
    const files = names.filter((name) => name.endsWith(ending) && !/(?:^|\/)readme\.md$/i.test(name));
    const read = await Promise.all(
      files.toSorted().map(async (name): Promise<readonly PlacedFile[]> => {
        try {
          const text = await from.read(name);
          const own = { name: createOwnName(name), file: `${from.shown}/${name}`, label, ...omitUndefined({ by }) };
          return text === undefined || text.trim() === "" ? [] : [{ ...own, text }];
        } catch (error) {
          unread.push(escapeInvisible(getErrorMessage(error)));
          return [];
        }
      }),
    );
    return read.flat();
  } catch (error) {
    unread.push(escapeInvisible(getErrorMessage(error)));
    return [];
  }
}

/** The names of a place's files relative to it, and their texts. */
interface PlaceReader {
  /** Its folder, as people see it. */
  readonly shown: string;
  list(): Promise<{ readonly names: readonly string[]; readonly more: boolean }>;
  read(name: string): Promise<string | undefined>;
}

function createRepositoryReader(
  { folder, ending }: OwnPlace,
  { files, isOwn }: OwnFilePlaces,
): PlaceReader | undefined {
  if (!files || (!isOwn && folder.startsWith(HOME))) return undefined;
  return {
    shown: folder,
    list: async () => {
      const list = await files.list(folder, { glob: `*${ending}`, limit: MOST_FILES });
      const names = list.labels
        .filter((label) => !label.endsWith("/"))
        .map((label) => posix.relative(list.folder, label));
      return { names, more: list.more };
    },
    read: (name) => files.read(`${folder}/${name}`),
  };
}

function createOwnReader({ folder, ending }: OwnPlace, { home, prompts }: OwnFilePlaces): PlaceReader | undefined {
  const path = folder === EDITOR_FOLDER ? prompts : join(home, folder);
  if (path === undefined) return undefined;
  const shown = folder === EDITOR_FOLDER ? folder : `~/${folder}`;
  return {
    shown,
    list: async () => {
      const all = await readdir(path, { recursive: true }).catch(() => []);
      const names = all.filter((name) => name.endsWith(ending)).map((name) => name.replaceAll(sep, "/"));
      return { names: names.slice(0, MOST_FILES), more: names.length > MOST_FILES };
    },
    read: (name) =>
      readOwnText(join(path, name)).catch((error: unknown) => {
        throw new Error(`${shown}/${name} isn't read: ${getErrorMessage(error)}.`);
      }),
  };
}

/** The name of a file in a place: its folders and it, with colons between them. */
function createOwnName(file: string): string {
  return file.replace(/(?:\.(?:prompt|agent|chatmode))?\.md$/, "").replaceAll("/", ":");
}

const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]{0,63}$/u;

/** Gives each file a name of its own. Files whose names can't be typed, or that people could mistake, are left out. */
async function giveNames(files: readonly PlacedFile[], unread: string[]): Promise<readonly OwnFile[]> {
  const given = new Map<string, OwnFile>();
  for (const { label, ...file } of files) {
    const shown = escapeInvisible(cutText(file.file, MAX_SHOWN));
    if (!(await isPlainName(file.name))) {
      unread.push(`${shown} isn't offered: its name can't be typed, or looks like another one. Rename it.`);
      continue;
    }
    const name = [file.name, `${label}:${file.name}`, `project:${label}:${file.name}`].find(
      (one) => !given.has(one.toLowerCase()),
    );
    if (name === undefined) unread.push(`${shown} isn't offered: others have the same name. Rename it.`);
    else given.set(name.toLowerCase(), { ...file, name });
  }
  return [...given.values()];
}

/** The tables of look-alikes are loaded on demand, because most names are ASCII. */
async function isPlainName(name: string): Promise<boolean> {
  const parts = name.split(":");
  if (!parts.every((part) => NAME.test(part))) return false;
  if (isAscii(name)) return true;
  const { isOddName } = await import("../../isolation/review/odd-names.ts");
  return !parts.some(isOddName);
}
