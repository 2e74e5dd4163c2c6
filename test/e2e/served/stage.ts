import path from "node:path";
import { ROOT } from "../../host/places.ts";
import { THEMES } from "../support/pictures.ts";
import { sharedStage } from "../support/stage.ts";

/** The sample workspace, with a model server that is set up and needs no key. No test of this folder opens another stage. */
export const useStage = sharedStage({
  settings: THEMES.ofSystem,
  extensions: [path.join(ROOT, "test/fixtures/forging-extension")],
});
