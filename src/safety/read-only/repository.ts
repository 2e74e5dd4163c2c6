import type { Disk, SeenRepository } from "../../core/disk.ts";
import { segments } from "../paths.ts";
import { secretIn } from "../sensitive.ts";
import type { Use } from "./check.ts";
import { meantBy } from "./pathspec.ts";

/** How git looks at the repository that it stands in. */
type Looking = NonNullable<Use["repository"]>;

const MOST_WITHIN = 20;

/** Settings with which git fetches what is missing. A line that runs unasked would fail where it is needed. */
const FETCHES = /^(?:remote\..*\.(?:promisor|partialclonefilter)|extensions\.partialclone)$/is;

/** Settings that hand differences to a program that nothing replaces. A line that runs unasked would fail where one is needed. */
const HANDS_ON = /^diff\.(?:external|.*\.command)$/is;

/**
 * Why git must not look around from a real folder, as a sentence; undefined when it may. That the settings start no program is up to the
 * environment of the line (`harmlessIn`); here it is about what git would show.
 */
export async function repositoryTrouble(
  looking: Looking,
  folder: string,
  folders: readonly string[],
  disk: Disk,
): Promise<string | undefined> {
  const found = await disk.repository(folder, folders);
  if (found === undefined || typeof found === "string") return found;
  const trouble = settingsTrouble(found, looking);
  if (trouble !== undefined || looking.at === "settings") return trouble;
  return trackedTrouble(found, looking, { folder, folders, disk });
}

function settingsTrouble({ root, settings, reads }: SeenRepository, { at }: Looking): string | undefined {
  const fetching = settings.find((name) => FETCHES.test(name));
  if (fetching !== undefined)
    return `The repository is a part of another one, from which git fetches what is missing (${fetching}).`;
  const read = reads.find((path) => secretIn(segments(path)) !== undefined || !path.startsWith(`${root}/`));
  if (read !== undefined) return `The repository's settings name ${read}, of which git may show lines.`;
  const handing = at === "contents" ? settings.find((name) => HANDS_ON.test(name)) : undefined;
  return handing && `The repository's settings hand differences to another program (${handing}).`;
}

interface Ground {
  readonly folder: string;
  readonly folders: readonly string[];
  readonly disk: Disk;
}

async function trackedTrouble(
  { root, tracked }: SeenRepository,
  { at, paths }: Looking,
  { folder, folders, disk }: Ground,
): Promise<string | undefined> {
  const above = folder === root ? "" : `${folder.slice(root.length + 1).replaceAll("\\", "/")}/`;
  const isMeant = meantBy(paths, above);
  const isSecret = (name: string): boolean => isMeant(name) && secretIn(segments(name)) !== undefined;
  const secret = at === "contents" ? tracked.find(({ name }) => isSecret(name)) : undefined;
  if (secret) return `It may show ${secret.name}, which is protected.`;
  const within = tracked.filter(({ isRepository }) => isRepository);
  if (within.length > MOST_WITHIN) return "It holds more repositories than are checked.";
  for (const { name } of within) {
    const trouble = await innerTrouble(root, name, folders, disk);
    if (trouble !== undefined) return `In ${name}: ${trouble}`;
  }
  return undefined;
}

/** Git asks the repositories within for their state, by their own settings. */
async function innerTrouble(
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
  return settingsTrouble(inner, looking) ?? trackedTrouble(inner, looking, { folder, folders, disk });
}
