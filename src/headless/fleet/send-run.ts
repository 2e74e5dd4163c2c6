import { escapeInvisible, formatQuantity } from "../../core/base/text.ts";
import { selectSentSettings } from "../../fleet/parcel.ts";
import { checkPictures } from "../../runs/store/run-pictures.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { OtherPlace, RunOptions } from "../options.ts";
import { resolveWorkspaceFolder } from "../place.ts";
import { loadPictures } from "../run-headless.ts";
import type { Surroundings } from "../session.ts";
import { loadSettings } from "../settings.ts";
import { UsageError } from "../usage-error.ts";
import { followRun } from "./follow-run.ts";
import { openPlace } from "./open-place.ts";
import { demandConsent } from "./send-consent.ts";

/** `--on PLACE`: sends a task to another machine or a fleet, and follows its run. Throws `UsageError`. */
export async function sendRun(options: RunOptions, on: OtherPlace, around: Surroundings): Promise<ProgramEnd> {
  const { task } = options;
  if (task === undefined || options.resume !== undefined || options.issue !== undefined)
    throw new UsageError("--on takes a new run with --task.");
  demandSendable(options, on.name);
  const pictures = checkPictures(await loadPictures(options)).map(({ picture, data }) => ({
    name: picture.name,
    data: Buffer.from(data).toString("base64"),
  }));
  const { signal, stderr } = around;
  const folder = await resolveWorkspaceFolder(options.workspace);
  const settings = selectSentSettings((await loadSettings(folder, options.sources)).given);
  const place = await openPlace({ ...on, folder }, around);
  const { engine } = place;
  const names = Object.keys(settings).join(", ");
  const what = `the task${pictures.length > 0 ? ` with ${formatQuantity(pictures.length, "picture")}` : ""}${names === "" ? "" : `, and the settings ${names}`}`;
  await demandConsent(place, { folders: [folder], runs: 1, what, isAgreed: on.isAgreed }, around);
  const run = await engine.submit({ task, folder, settings, ...(pictures.length > 0 ? { pictures } : {}) }, signal);
  for (const note of run.notes ?? []) stderr.write(`${escapeInvisible(writeInEnglish(note))}\n`);
  stderr.write(`The run ${run.id} works on ${on.name} now, and goes on there without this program.\n`);
  return followRun(engine, run.id, options.json, around).finally(place.close);
}

/** Throws a `UsageError` for what the command line asks and no other machine is asked for: its user has set that up there. */
function demandSendable(options: RunOptions, place: string): void {
  const { profile, sources } = options;
  const settings = [...sources.set.map((text) => text.split("=")[0] ?? ""), ...Object.keys(sources.flags)];
  const sent = selectSentSettings(settings.map((name) => [name, true]));
  const stays = [
    ...NOT_SENT.filter(([, isGiven]) => isGiven(options)).map(([flag]) => flag),
    ...(Object.values(profile).some((value) => (Array.isArray(value) ? value.length > 0 : value)) ? ["a profile"] : []),
    ...settings.filter((name) => !Object.hasOwn(sent, name) && name !== "log.level"),
  ];
  if (stays.length > 0)
    throw new UsageError(
      `Only the task, its pictures, the model and the limits are sent to ${place}. Leave these out: ${[...new Set(stays)].join(", ")}.`,
    );
}

const NOT_SENT: readonly (readonly [flag: string, isGiven: (options: RunOptions) => boolean])[] = [
  ["--plan", ({ plan }) => plan],
  ["--accept", ({ accept }) => accept],
  ["--input", ({ inputs }) => inputs !== undefined],
  ["--plugin", ({ plugins }) => plugins.length > 0],
  ["--prompt-settings", ({ promptSettings }) => promptSettings !== undefined],
  ["--yes-to", ({ yesTo }) => yesTo.length > 0],
  ["--share-memory", ({ sharesMemory }) => sharesMemory !== undefined],
  ["--speak", ({ speak }) => speak],
  ["--gpt3only or --gpt4only", ({ onlyModel }) => onlyModel !== undefined],
];
