import { Type } from "typebox";
import { PanelUpdateSchema } from "./panel-messages.ts";
import { PlanItemSchema } from "./run-values.ts";
import { SavedPanelSchema } from "./saved-panel.ts";
import { rejectUnknownFields } from "./shape.ts";
import { createValidator } from "./validator.ts";

export const isPanelUpdate = createValidator(PanelUpdateSchema);
/** A list that contains only plan items. */
export const isPlan = createValidator(rejectUnknownFields(Type.Array(PlanItemSchema)));
export const isSavedPanel = createValidator(SavedPanelSchema);
