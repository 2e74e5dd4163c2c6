import { THEMES } from "../support/pictures.ts";
import { sharedStage } from "../support/stage.ts";

/** The sample workspace, with a model server that is set up and needs no key. */
export const useStage = sharedStage({ settings: THEMES.ofSystem });
