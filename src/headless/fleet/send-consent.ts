import { escapeInvisible, formatDisplaySize, formatQuantity } from "../../core/base/text.ts";
import { listNotAgreed, rememberAgreements } from "../../fleet/known-places.ts";
import { measureFolder } from "../../fleet/parcel.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import type { Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { askYesOrNo, type OpenPlace, setUpPlace } from "./open-place.ts";

/** Tasks that are about to leave this machine. */
interface Sending {
  readonly folders: readonly string[];
  /** The number of runs. */
  readonly runs: number;
  /** A line about all that goes along with the files. */
  readonly what: string;
  /** The user has agreed by the command line. */
  readonly isAgreed: boolean;
}

/**
 * Says what leaves this machine, and asks, if there is a repository to whose sending to this place the user hasn't agreed yet. Then brings
 * there what a machine lacks. Throws a `UsageError` without consent.
 */
export async function demandConsent(place: OpenPlace, sending: Sending, around: Surroundings): Promise<void> {
  const { isAgreed } = sending;
  const sent: { readonly place: string; readonly folder: string; readonly through: string | undefined }[] = [];
  for (const folder of new Set(sending.folders))
    sent.push({ place: place.engine.place, folder, through: await place.findRepository?.(folder) });
  const missing = await listNotAgreed(around.data, sent);
  if (missing.length > 0 && !isAgreed) {
    const lines: string[] = [];
    for (const { folder, through } of sent) {
      const { files, bytes } = await measureFolder(folder, around.signal);
      const size = `${formatQuantity(files, "file")}, ${writeInEnglish(formatDisplaySize(bytes))}`;
      lines.push(`    ${folder} (${size})${through === undefined ? "" : `, through ${through}`}`);
    }
    around.stderr.write(`${escapeInvisible(describeSending(place, sending, lines).join("\n"))}\n`);
    if (!(await askYesOrNo("Send it?", around)))
      throw new UsageError("Nothing was sent. To send it without being asked, add --yes.");
  }
  await setUpPlace(place, isAgreed, around);
  await rememberAgreements(around.data, missing);
}

function describeSending(
  { target, findRepository }: OpenPlace,
  { runs, what }: Sending,
  folders: readonly string[],
): readonly string[] {
  return [
    `This goes to ${target}, for ${formatQuantity(runs, "run")}:`,
    "  the files of these folders as they are when their tasks are sent, and the history of their repositories:",
    ...folders,
    ...(findRepository ? ["  whoever may read those repositories can read these files"] : []),
    "  ignored files, and new ones that usually hold secrets, stay here; what is committed goes along",
    `  ${what}`,
    "  no key of a model or service: the runs use those of the machines that work",
  ];
}
