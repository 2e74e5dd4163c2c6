import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Profile, slug } from "../core/profile.ts";
import { codeOf } from "./log-trouble.ts";

/** A stored profile, or a file that cannot be read as one. */
interface StoredProfile {
  readonly path: string;
  readonly slug: string;
  /** When it was last used or changed, in ms since 1970. */
  readonly usedMs: number;
  readonly profile?: Profile;
  /** Why the file is no profile, as a sentence. */
  readonly problem?: string;
}

/** The profiles of a `.autogpt` folder. */
export interface Profiles {
  /** The last used first. A bad file is in the list with its problem. */
  list(): Promise<readonly StoredProfile[]>;
  /** The last used one that can be read. */
  last(): Promise<StoredProfile | undefined>;
  /** Stores the profile under its name and makes it the last used one. Returns its path. */
  save(profile: Profile): Promise<string>;
}

const MAX_BYTES = 64 * 1024;

/** The profiles in `<home>/profiles`, one YAML file each. */
export function profilesIn(home: string): Profiles {
  const folder = join(home, "profiles");

  const list = async (): Promise<readonly StoredProfile[]> => {
    const names = await readdir(folder).catch(() => []);
    const files = names.filter((name) => /\.ya?ml$/.test(name));
    const stored = await Promise.all(files.map((name) => storedProfile(folder, name)));
    return stored.sort((one, other) => other.usedMs - one.usedMs);
  };

  return {
    list,
    last: async () => (await list()).find((stored) => stored.profile !== undefined),
    async save(profile) {
      await mkdir(folder, { recursive: true });
      const path = join(folder, `${slug(profile.name)}.yaml`);
      const before = await readFile(path, "utf8").catch(unlessMissing);
      const { writeProfileYaml } = await import("./profile-yaml.ts");
      const after = writeProfileYaml(profile, before);
      if (after !== before) await replace(path, after);
      await utimes(path, new Date(), new Date());
      return path;
    },
  };
}

/** Reads one profile file. Throws a sentence when it is missing, too large or no profile. */
export async function readProfile(path: string): Promise<Profile> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile())
    throw new Error(
      `There is no profile ${path}. Give the path of a YAML file with ai_name, ai_role and ai_goals.`,
    );
  if (found.size > MAX_BYTES)
    throw new Error(`${path} is too large for a profile (over ${MAX_BYTES / 1024} kB). Give another file.`);
  const { readProfileYaml } = await import("./profile-yaml.ts");
  return readProfileYaml(await readFile(path, "utf8"), path);
}

async function storedProfile(folder: string, name: string): Promise<StoredProfile> {
  const path = join(folder, name);
  const usedMs = await stat(path).then(
    (found) => found.mtimeMs,
    () => 0,
  );
  const about = { path, slug: name.replace(/\.ya?ml$/, ""), usedMs };
  try {
    return { ...about, profile: await readProfile(path) };
  } catch (error) {
    return { ...about, problem: error instanceof Error ? error.message : String(error) };
  }
}

function unlessMissing(error: unknown): string {
  if (codeOf(error) === "ENOENT") return "";
  throw error;
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}
