import { type Disk, type SeenRepository, withoutSets } from "../../core/ports/disk.ts";
import { fitsGlob } from "../paths/glob.ts";
import { segments } from "../paths/paths.ts";
import { secretIn } from "../paths/sensitive.ts";
import type { Use } from "./check.ts";

/** How git looks at the repository that it stands in. */
type RepositoryUse = NonNullable<Use["repository"]>;

const MOST_WITHIN = 20;

/** Settings with which git fetches what is missing. A line that runs unasked would fail where it is needed. */
const FETCHES = /^(?:remote\..*\.(?:promisor|partialclonefilter)|extensions\.partialclone)$/is;

/** Settings that hand differences to a program that nothing replaces. A line that runs unasked would fail where one is needed. */
const HANDS_ON = /^diff\.(?:external|.*\.command)$/is;

/**
 * Why git must not look around from a real folder, as a sentence; undefined when it may. That the settings start no program is up to the
 * environment of the line (`harmlessIn`); here it is about what git would show.
 */
export async function repositoryProblem(
  looking: RepositoryUse,
  folder: string,
  folders: readonly string[],
  disk: Disk,
): Promise<string | undefined> {
  const found = await disk.repository(folder, folders);
  if (found === undefined || typeof found === "string") return found;
  const trouble = settingsProblem(found, looking);
  if (trouble !== undefined || looking.at === "settings") return trouble;
  return trackedProblem(found, looking, { folder, folders, disk });
}

function settingsProblem(
  { root, settings, reads }: SeenRepository,
  { at }: RepositoryUse,
): string | undefined {
  const fetching = settings.find((name) => FETCHES.test(name));
  if (fetching !== undefined)
    return `The repository is a part of another one, from which git fetches what is missing (${fetching}).`;
  const read = reads.find((path) => secretIn(segments(path)) !== undefined || !path.startsWith(`${root}/`));
  if (read !== undefined) return `The repository's settings name ${read}, of which git may show lines.`;
  const handing = at === "contents" ? settings.find((name) => HANDS_ON.test(name)) : undefined;
  return handing && `The repository's settings hand differences to another program (${handing}).`;
}

interface RepositoryContext {
  readonly folder: string;
  readonly folders: readonly string[];
  readonly disk: Disk;
}

async function trackedProblem(
  { root, tracked }: SeenRepository,
  { at, paths }: RepositoryUse,
  { folder, folders, disk }: RepositoryContext,
): Promise<string | undefined> {
  const above = folder === root ? "" : `${folder.slice(root.length + 1).replaceAll("\\", "/")}/`;
  const isMeant = meantBy(paths, above);
  const isSecret = (name: string): boolean => isMeant(name) && secretIn(segments(name)) !== undefined;
  const secret = at === "contents" ? tracked.find(({ name }) => isSecret(name)) : undefined;
  if (secret) return `It may show ${secret.name}, which is protected.`;
  const within = tracked.filter(({ isRepository }) => isRepository);
  if (within.length > MOST_WITHIN) return "It holds more repositories than are checked.";
  for (const { name } of within) {
    const trouble = await innerProblem(root, name, folders, disk);
    if (trouble !== undefined) return `In ${name}: ${trouble}`;
  }
  return undefined;
}

/** Git asks the repositories within for their state, by their own settings. */
async function innerProblem(
  root: string,
  name: string,
  folders: readonly string[],
  disk: Disk,
): Promise<string | undefined> {
  const [folder] = (await disk.realPaths(`${root}/${name}`, false)) ?? [];
  if (folder === undefined) return undefined;
  const inner = await disk.repository(folder, folders);
  if (inner === undefined || typeof inner === "string") return inner;
  if (inner.root !== folder) return undefined;
  const looking = { at: "state", paths: [] } as const;
  return settingsProblem(inner, looking) ?? trackedProblem(inner, looking, { folder, folders, disk });
}

/**
 * Tells of a name that a repository tracks whether git's path specifications mean it: loosely, so that none that they mean is missed. No
 * specification means all. `above` leads from the repository to the folder that git stands in.
 */
function meantBy(specs: readonly string[], above = ""): (name: string) => boolean {
  const chosen = specs.filter((spec) => !/^:(?:[!^]|\([^)]*exclude)/.test(spec));
  const wanted = chosen.map((spec) => normal(`${above}${spec}`));
  const meansAll = chosen.length === 0 || chosen.some((spec) => spec.startsWith(":")) || wanted.includes("");
  return meansAll ? () => true : (name) => wanted.some((spec) => fits(spec, name.toLowerCase()));
}

/** In lower case, without single dots and a closing slash; "" for the repository itself. */
function normal(spec: string): string {
  return spec
    .toLowerCase()
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}

function fits(spec: string, name: string): boolean {
  if (name === spec || name.startsWith(`${spec}/`)) return true;
  return /[*?[\\]/.test(spec) && fitsGlob(withoutSets(spec).replaceAll("\\", "*"), name);
}
