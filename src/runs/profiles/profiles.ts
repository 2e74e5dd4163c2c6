import { lstat, mkdir, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { convertToSlug, type Profile } from "../../core/prompt/profile.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { openFile, openLinkedFile, readBounded, readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { DisplayError, type Sentence } from "../../texts/display-text.ts";
import { findFolderProblem } from "../store/run-folder.ts";

/** A stored profile, or a file that can't be read as one. */
interface StoredProfile {
  readonly path: string;
  readonly slug: string;
  /** The last use or change, in ms since 1970. */
  readonly usedMs: number;
  readonly profile?: Profile;
  /** Why the file isn't a profile, as a sentence. */
  readonly problem?: string;
}

/** The profiles of a `.autogpt` folder. */
export interface Profiles {
  /** All profiles, last used first. An invalid file is listed with its problem. */
  list(): Promise<readonly StoredProfile[]>;
  /** The last used readable profile. */
  findLastUsed(): Promise<StoredProfile | undefined>;
  /** Stores a profile under its name, and makes it the last used one. Returns its path. */
  save(profile: Profile): Promise<string>;
}

const MAX_BYTES = 64 * 1024;

/** The profiles in `<home>/profiles`, one YAML file each. */
export function createProfiles(home: string): Profiles {
  const folder = join(home, "profiles");

  const findProblem = async (): Promise<Sentence | undefined> =>
    (await findFolderProblem(home)) ?? (await findFolderProblem(folder));

  const list = async (): Promise<readonly StoredProfile[]> => {
    if ((await findProblem()) !== undefined) return [];
    const names = await readdir(folder).catch(() => []);
    const files = names.filter((name) => /\.ya?ml$/.test(name));
    const stored = await Promise.all(files.map((name) => readStoredProfile(folder, name)));
    return stored.sort((one, other) => other.usedMs - one.usedMs);
  };

  return {
    list,
    findLastUsed: async () => (await list()).find((stored) => stored.profile !== undefined),
    async save(profile) {
      const wrong = await findProblem();
      if (wrong !== undefined) throw new DisplayError(wrong);
      await mkdir(folder, { recursive: true });
      const path = join(folder, `${convertToSlug(profile.name)}.yaml`);
      const before = await readFileText(path).catch(ignoreMissingFile);
      const { writeProfileYaml } = await import("./profile-yaml.ts");
      const after = writeProfileYaml(profile, before);
      if (after !== before) await replaceFile(path, after);
      await utimes(path, new Date(), new Date());
      return path;
    },
  };
}

/** Reads a profile file that the user names. Throws a sentence if it's missing, too large or not a profile. */
export function readProfile(path: string): Promise<Profile> {
  return readProfileFile(path, openLinkedFile);
}

/** The name of a profile in a folder of classic AutoGPT. */
export const AI_SETTINGS = "ai_settings.yaml";

/** The classic profile in a workspace folder; undefined if there is none, or if it's a link or isn't a profile. */
export function findClassicProfile(folder: string): Promise<Profile | undefined> {
  return readProfileFile(join(folder, AI_SETTINGS), openFile).catch(() => undefined);
}

/** A profile to offer for a new run, in a list. */
interface ProfileOffer {
  readonly choice: "new" | "last" | "classic";
  readonly label: string;
  readonly description: string;
}

/** The profiles to choose from for a task. A new one comes first, so that pressing Enter doesn't select a repository's profile. */
export function listProfileOffers(last: Profile | undefined, classic: Profile | undefined): readonly ProfileOffer[] {
  const isLast = last !== undefined && last.name === classic?.name && last.role === classic.role;
  return [
    { choice: "new", label: "Draft a new profile for this task", description: "" },
    ...(last ? [{ choice: "last" as const, label: `Use last profile (${last.name})`, description: last.role }] : []),
    ...(classic && !isLast
      ? [
          {
            choice: "classic" as const,
            label: `Review ${AI_SETTINGS} (${classic.name})`,
            description: classic.role,
          },
        ]
      : []),
  ];
}

async function readProfileFile(path: string, open: typeof openLinkedFile): Promise<Profile> {
  await using file = await open(path).catch((error: unknown) => {
    throw new Error(
      hasCode(error, "ELOOP")
        ? `${path} is a link, so it isn't read as a profile. Put the file itself there.`
        : `There's no profile ${path}. Give the path of a YAML file with ai_name, ai_role and ai_goals.`,
    );
  });
  if ((await file.stat()).size > MAX_BYTES)
    throw new Error(`${path} is too large for a profile (over ${MAX_BYTES / 1024} kB). Give another file.`);
  const { readProfileYaml } = await import("./profile-yaml.ts");
  return readProfileYaml((await readBounded(file, MAX_BYTES)).toString("utf8"), path);
}

async function readStoredProfile(folder: string, name: string): Promise<StoredProfile> {
  const path = join(folder, name);
  const usedMs = await lstat(path).then(
    (found) => found.mtimeMs,
    () => 0,
  );
  const about = { path, slug: name.replace(/\.ya?ml$/, ""), usedMs };
  try {
    return { ...about, profile: await readProfileFile(path, openFile) };
  } catch (error) {
    return { ...about, problem: getErrorMessage(error) };
  }
}

/** Anything else at the path, such as a link, is replaced. */
function ignoreMissingFile(error: unknown): string {
  if (hasCode(error, "ENOENT", "ELOOP", "EISDIR")) return "";
  throw error;
}
