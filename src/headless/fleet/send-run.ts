import { formatDisplaySize, formatQuantity } from "../../core/base/text.ts";
import { readKnownPlaces } from "../../fleet/known-places.ts";
import { measureFolder, selectSentSettings } from "../../fleet/parcel.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { OtherPlace, RunOptions } from "../options.ts";
import { resolveWorkspaceFolder } from "../place.ts";
import type { Surroundings } from "../session.ts";
import { loadSettings } from "../settings.ts";
import { UsageError } from "../usage-error.ts";
import { followRun } from "./follow-run.ts";
import { askYesOrNo, openPlace, setUpPlace } from "./open-place.ts";

/** `--on PLACE`: sends a task to another machine or a fleet, and follows its run. Throws `UsageError`. */
export async function sendRun(options: RunOptions, on: OtherPlace, around: Surroundings): Promise<ProgramEnd> {
  const { task } = options;
  if (task === undefined || options.resume !== undefined || options.issue !== undefined)
    throw new UsageError("--on takes a new run with --task.");
  const { data, signal, stderr } = around;
  const folder = await resolveWorkspaceFolder(options.workspace);
  const settings = selectSentSettings((await loadSettings(folder, options.sources)).given);
  const place = await openPlace({ ...on, folder }, around);
  const parcel = await measureFolder(folder, signal);
  const { engine } = place;
  if (!on.isAgreed && !(await readKnownPlaces(data)).places.includes(engine.place)) {
    stderr.write(`${describeParcel(place.target, folder, parcel, Object.keys(settings))}\n`);
    if (!(await askYesOrNo("Send it?", around)))
      throw new UsageError("Nothing was sent. To send it without being asked, add --yes.");
  }
  await setUpPlace(place, on.isAgreed, around);
  const run = await engine.submit({ task, folder, settings }, signal);
  stderr.write(`The run ${run.id} works on ${on.name} now, and goes on there without this program.\n`);
  return followRun(engine, run.id, options.json, around).finally(place.close);
}

/** Says what leaves this machine, before it does. */
function describeParcel(
  target: string,
  folder: string,
  { files, bytes }: { readonly files: number; readonly bytes: number },
  settings: readonly string[],
): string {
  const size = writeInEnglish(formatDisplaySize(bytes));
  return [
    `This goes to ${target}:`,
    `  the files of ${folder} as they are now (${formatQuantity(files, "file")}, ${size}), and the history of the repository;`,
    "  ignored files, and new ones that usually hold secrets, stay here; what is committed goes along",
    `  the task${settings.length > 0 ? `, and the settings ${settings.join(", ")}` : ""}`,
    "  no key of a model or service: the run uses those of that machine",
  ].join("\n");
}
