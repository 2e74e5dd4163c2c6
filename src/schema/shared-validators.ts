import { SharedRowSchema } from "./shared-rows.ts";
import { createValidator } from "./validator.ts";

export const isSharedRow = createValidator(SharedRowSchema);
