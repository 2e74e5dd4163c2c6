import { isAbsolute, relative } from "node:path";
import { escapeInvisible, formatDisplaySize, formatQuantity } from "../../core/base/text.ts";
import { readKnownPlaces } from "../../fleet/known-places.ts";
import { measureFolder } from "../../fleet/parcel.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import { askYesOrNo, type OpenPlace, setUpPlace } from "../fleet/open-place.ts";
import type { Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import type { BatchAttempt } from "./batch-tasks.ts";

/** Says what leaves this machine, and asks: before the first sending to a place, and for folders beside the workspace. */
export async function demandBatchConsent(
  attempts: readonly BatchAttempt[],
  place: OpenPlace,
  { workspace, isAgreed }: { readonly workspace: string; readonly isAgreed: boolean },
  around: Surroundings,
): Promise<void> {
  const folders = [...new Set(attempts.map(({ folder }) => folder))];
  const isKnown = (await readKnownPlaces(around.data)).places.includes(place.engine.place);
  const isOutside = (folder: string): boolean => {
    const path = relative(workspace, folder);
    return path.startsWith("..") || isAbsolute(path);
  };
  if (!isAgreed && (!isKnown || folders.some(isOutside))) {
    around.stderr.write(`${escapeInvisible(await describeBatch(place, attempts, folders, around.signal))}\n`);
    if (!(await askYesOrNo("Send it?", around)))
      throw new UsageError("Nothing was sent. To send it without being asked, add --yes.");
  }
  await setUpPlace(place, isAgreed, around);
}

async function describeBatch(
  { target, findRepository }: OpenPlace,
  attempts: readonly BatchAttempt[],
  folders: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const lines: string[] = [];
  for (const folder of folders) {
    const { files, bytes } = await measureFolder(folder, signal);
    const through = findRepository ? `, through ${await findRepository(folder)}` : "";
    lines.push(
      `    ${folder} (${formatQuantity(files, "file")}, ${writeInEnglish(formatDisplaySize(bytes))})${through}`,
    );
  }
  return [
    `This goes to ${target}, for ${formatQuantity(attempts.length, "run")}:`,
    "  the files of these folders as they are when their tasks are sent, and the history of their repositories:",
    ...lines,
    "  ignored files, and new ones that usually hold secrets, stay here; what is committed goes along",
    "  the tasks, the limits and the names of models",
    "  no key of a model or service: the runs use those of the machines that work",
  ].join("\n");
}
