import { readStillPicture } from "../core/base/picture-checks.ts";
import { getPictureExtension, quotePictureName } from "../core/base/pictures.ts";
import type { ShowPicture } from "../core/commands/outcome.ts";
import type { Model } from "../core/ports/model.ts";
import { checkPictures, type GivenPicture, keepPictures } from "../runs/store/run-pictures.ts";
import { fail } from "../texts/display-text.ts";
import type { ComposedRun } from "./composed-run.ts";

/** Throws a sentence if there are pictures for a model that is known to accept none. */
export async function demandSight(
  model: Pick<Model, "name" | "seesPictures">,
  pictures: readonly unknown[],
): Promise<void> {
  if (pictures.length > 0 && (await model.seesPictures?.()) === false)
    fail("start.picturesUnseen", { model: model.name });
}

/** Sends a message with pictures to a run, and checks and stores them first. Throws a sentence if they can't be accepted. */
export async function sayWithPictures(
  composed: Pick<ComposedRun, "live" | "home" | "run" | "canSeePictures">,
  text: string,
  given: readonly GivenPicture[],
): Promise<void> {
  const checked = checkPictures(given);
  const name = composed.run.state.model.smart;
  await demandSight({ name, seesPictures: async () => composed.canSeePictures?.() }, checked);
  await composed.live?.say(text, await keepPictures(composed.home, checked));
}

/** Shows pictures with outcomes of a run, whose model may see them. */
export function createPictureShower(home: string, sees: () => Promise<boolean | undefined>): ShowPicture {
  return async (name, data) => {
    const still = readStillPicture(data);
    const named = `picture ${quotePictureName(name)}`;
    if ("why" in still) return { text: `[${named}: ${still.why}]` };
    const [picture] = await keepPictures(home, checkPictures([{ name, data: still.data }]));
    if (!picture) return { text: `[${named}: it can't be kept]` };
    const isSeen = (await sees().catch(() => undefined)) !== false;
    const { width, height, mediaType } = picture;
    const kind = getPictureExtension(mediaType).toUpperCase();
    const frame = still.isFrame ? ", the first frame of an animation" : "";
    const sight = isSeen ? "it's shown with this result" : "this model can't see it";
    return { text: `[${named}, ${kind}, ${width} x ${height} pixels${frame}: ${sight}]`, picture, isSeen };
  };
}
