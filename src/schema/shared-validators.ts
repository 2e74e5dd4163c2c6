import { SharedRowSchema } from "./shared-rows.ts";
import { validator } from "./validator.ts";

export const isSharedRow = validator(SharedRowSchema);
