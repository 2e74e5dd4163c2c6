import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Profile } from "../../core/prompt/profile.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { openLinkedFile, readBounded } from "../../disk/plain-file.ts";
import { AI_SETTINGS, readProfile } from "./profiles.ts";

/** The files of a classic AutoGPT folder, as far as they exist. */
export interface ClassicFiles {
  /** The variables of `.env`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The fields of `azure.yaml`. */
  readonly azure?: Fields;
  /** The profile in `ai_settings.yaml`, with its path. */
  readonly profile?: Profile;
  /** Why a file beside `.env` can't be used, each as a sentence. */
  readonly problems: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_BYTES = 256 * 1024;

/** Reads a classic `.env`, and the files beside it. Throws a sentence if there is no such file. */
export async function readClassicFiles(envFile: string): Promise<ClassicFiles> {
  const text = await readText(envFile);
  if (text === undefined) throw new Error(`There is no file ${envFile}. Name a .env file of classic AutoGPT.`);
  const variables = parseEnv(text);
  const resolveVariablePath = (variable: string, usual: string): string =>
    resolve(dirname(envFile), variables[variable]?.trim() || usual);
  const problems: string[] = [];
  const tryRead = async <T>(read: Promise<T | undefined>): Promise<T | undefined> =>
    read.catch((error: unknown) => {
      problems.push(getErrorMessage(error));
      return undefined;
    });
  const azure = await tryRead(readFields(resolveVariablePath("AZURE_CONFIG_FILE", "azure.yaml")));
  const profile = await tryRead(readProfileFile(resolveVariablePath("AI_SETTINGS_FILE", AI_SETTINGS)));
  return { variables, ...omitUndefined({ azure, profile }), problems };
}

/** The profile in a file; undefined if there is no such file. Throws a sentence if it isn't a profile. */
async function readProfileFile(path: string): Promise<Profile | undefined> {
  return (await readText(path)) === undefined ? undefined : readProfile(path);
}

async function readFields(path: string): Promise<Fields | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const { parseYamlFields } = await import("./profile-yaml.ts");
  return parseYamlFields(text, path, "azure_api_base");
}

async function readText(path: string): Promise<string | undefined> {
  await using file = await openLinkedFile(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "EISDIR", "ENOTDIR")) return undefined;
    throw new Error(`${path} can't be read: ${getErrorMessage(error)}. Name another file.`);
  });
  if (!file) return undefined;
  if ((await file.stat()).size > MAX_BYTES)
    throw new Error(`${path} is too large (over ${MAX_BYTES / 1024} kB). Name another file.`);
  return (await readBounded(file, MAX_BYTES)).toString("utf8");
}
