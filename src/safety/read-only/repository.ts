import { type Disk, replaceBracketSets, type SeenRepository } from "../../core/ports/disk.ts";
import { type DisplayText, displayText, type Sentence } from "../../texts/display-text.ts";
import { isGlobMatch } from "../paths/glob.ts";
import { getPathBelow, getPathKey, isInside, type Platform, splitPathSegments } from "../paths/paths.ts";
import { findSecretReason } from "../paths/sensitive.ts";
import type { Use } from "./check.ts";

/** Access by git to the repository of its folder. */
type RepositoryUse = NonNullable<Use["repository"]>;

const MOST_WITHIN = 20;

/** Settings that make git fetch missing objects. A line without approval would fail if it needed a missing object. */
const FETCHES = /^(?:remote\..*\.(?:promisor|partialclonefilter)|extensions\.partialclone)$/is;

/** Settings that pass differences to a program that nothing replaces. A line without approval would fail if it needed that program. */
const HANDS_ON = /^diff\.(?:external|.*\.command)$/is;

/**
 * Explains why git mustn't read the repository of a real folder; undefined if it may. The line's environment (`harmlessIn`) keeps the
 * settings from starting programs; this check is about the content that git would show.
 */
export async function explainRepositoryProblem(
  looking: RepositoryUse,
  { folder, folders, platform }: Omit<RepositoryContext, "disk">,
  disk: Disk,
): Promise<Sentence | undefined> {
  const found = await disk.findRepository(folder, folders);
  if (found === undefined || typeof found === "string") return found;
  const trouble = explainSettingsProblem(found, looking, platform);
  if (trouble !== undefined || looking.at === "settings") return trouble;
  return explainTrackedProblem(found, looking, { folder, folders, platform, disk });
}

function explainSettingsProblem(
  { root, settings, reads }: SeenRepository,
  { at }: RepositoryUse,
  platform: Platform,
): DisplayText | undefined {
  const fetching = settings.find((name) => FETCHES.test(name));
  if (fetching !== undefined) return displayText("safety.line.partialClone", { setting: fetching });
  const read = reads.find(
    (path) => findSecretReason(splitPathSegments(path)) !== undefined || !isInside(path, [root], platform),
  );
  if (read !== undefined) return displayText("safety.line.repositorySettingsFile", { file: read });
  const handing = at === "contents" ? settings.find((name) => HANDS_ON.test(name)) : undefined;
  return handing === undefined ? undefined : displayText("safety.line.externalDiff", { setting: handing });
}

interface RepositoryContext {
  /** Real path of the folder in which git is called. */
  readonly folder: string;
  readonly folders: readonly string[];
  readonly platform: Platform;
  readonly disk: Disk;
}

async function explainTrackedProblem(
  { root, tracked }: SeenRepository,
  { at, paths }: RepositoryUse,
  { folder, folders, platform, disk }: RepositoryContext,
): Promise<Sentence | undefined> {
  const below = getPathBelow(folder, [root], platform);
  const above = below === "" ? "" : `${below}/`;
  const isMeant = createPathspecTest(paths, above);
  const isSecret = (name: string): boolean => isMeant(name) && findSecretReason(splitPathSegments(name)) !== undefined;
  const secret = at === "contents" ? tracked.find(({ name }) => isSecret(name)) : undefined;
  if (secret) return displayText("safety.line.mayShowProtected", { file: secret.name });
  const within = tracked.filter(({ isRepository }) => isRepository);
  if (within.length > MOST_WITHIN) return displayText("safety.line.tooManyRepositories");
  for (const { name } of within) {
    const trouble = await explainInnerProblem(`${root}/${name}`, { folders, platform, disk });
    if (trouble !== undefined) return displayText("safety.line.inRepository", { name, why: trouble });
  }
  return undefined;
}

/** Git reads the state of nested repositories with their own settings. */
async function explainInnerProblem(
  path: string,
  context: Omit<RepositoryContext, "folder">,
): Promise<Sentence | undefined> {
  const { folders, platform, disk } = context;
  const [folder] = (await disk.resolveRealPaths(path, false)) ?? [];
  if (folder === undefined) return undefined;
  const inner = await disk.findRepository(folder, folders);
  if (inner === undefined || typeof inner === "string") return inner;
  if (getPathKey(inner.root) !== getPathKey(folder)) return undefined;
  const looking = { at: "state", paths: [] } as const;
  return (
    explainSettingsProblem(inner, looking, platform) ?? explainTrackedProblem(inner, looking, { ...context, folder })
  );
}

/**
 * Creates a test for whether git's path specifications match a tracked name. It may match too much but never too little. Without
 * specifications, it matches everything. `above` leads from the repository to git's current folder.
 */
function createPathspecTest(specs: readonly string[], above = ""): (name: string) => boolean {
  const chosen = specs.filter((spec) => !/^:(?:[!^]|\([^)]*exclude)/.test(spec));
  const wanted = chosen.map((spec) => normalizePathspec(`${above}${spec}`));
  const meansAll = chosen.length === 0 || chosen.some((spec) => spec.startsWith(":")) || wanted.includes("");
  return meansAll ? () => true : (name) => wanted.some((spec) => isPathspecMatch(spec, name.toLowerCase()));
}

/** Normalizes a specification: lower case, without single dots and a trailing slash; "" for the repository itself. */
function normalizePathspec(spec: string): string {
  return spec
    .toLowerCase()
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}

function isPathspecMatch(spec: string, name: string): boolean {
  if (name === spec || name.startsWith(`${spec}/`)) return true;
  return /[*?[\\]/.test(spec) && isGlobMatch(replaceBracketSets(spec).replaceAll("\\", "*"), name);
}
