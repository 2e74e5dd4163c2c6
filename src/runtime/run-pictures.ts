import type { Model } from "../core/ports/model.ts";
import { checkedPictures, type GivenPicture, keepPictures } from "../runs/store/run-pictures.ts";
import { fail } from "../texts/display-text.ts";
import type { ComposedRun } from "./composed-run.ts";

/** Throws a sentence if there are pictures for a model that is known to take none. */
export async function demandSight(
  model: Pick<Model, "name" | "seesPictures">,
  pictures: readonly unknown[],
): Promise<void> {
  if (pictures.length > 0 && (await model.seesPictures?.()) === false)
    fail("start.picturesUnseen", { model: model.name });
}

/** Says something to a run, with pictures that are checked and kept first. Throws a sentence where they can't be taken. */
export async function sayWithPictures(
  composed: Pick<ComposedRun, "live" | "home" | "run" | "seesPictures">,
  text: string,
  given: readonly GivenPicture[],
): Promise<void> {
  const checked = checkedPictures(given);
  const name = composed.run.state.model.smart;
  await demandSight({ name, seesPictures: async () => composed.seesPictures?.() }, checked);
  await composed.live?.say(text, await keepPictures(composed.home, checked));
}

/** Keeps a picture of a result with the run, and returns its file's name; undefined if it isn't one that can be shown. */
export async function keptPicture(home: string, data: Uint8Array): Promise<string | undefined> {
  try {
    const [picture] = await keepPictures(home, checkedPictures([{ name: "picture", data }]));
    return picture?.file;
  } catch {
    return undefined;
  }
}
