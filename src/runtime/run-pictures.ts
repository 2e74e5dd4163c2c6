import type { Model } from "../core/ports/model.ts";
import { fail } from "../texts/display-text.ts";

/** Throws a sentence if there are pictures for a model that is known to take none. */
export async function demandSight(
  model: Pick<Model, "name" | "seesPictures">,
  pictures: readonly unknown[],
): Promise<void> {
  if (pictures.length > 0 && (await model.seesPictures?.()) === false)
    fail("start.picturesUnseen", { model: model.name });
}
