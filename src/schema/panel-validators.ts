import { Type } from "typebox";
import { PanelUpdateSchema } from "./panel-messages.ts";
import { PlanItemSchema } from "./run-values.ts";
import { SavedPanelSchema } from "./saved-panel.ts";
import { exact } from "./shape.ts";
import { validator } from "./validator.ts";

export const isPanelUpdate = validator(PanelUpdateSchema);
/** A list of plan items and nothing else. */
export const isPlan = validator(exact(Type.Array(PlanItemSchema)));
export const isSavedPanel = validator(SavedPanelSchema);
