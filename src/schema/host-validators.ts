import { StoredLessonsSchema } from "./dialect.ts";
import { EvalReportSchema } from "./eval-report.ts";
import { LoggedEventSchema, NewerEventSchema } from "./events.ts";
import { McpMemorySchema, McpServerSchema } from "./mcp-values.ts";
import { PanelRequestSchema } from "./panel-messages.ts";
import { FolderManifestSchema, HookAnswerSchema } from "./plugin-values.ts";
import { WaysPageSchema } from "./review-page.ts";
import { ReplyFormatSchema } from "./run-values.ts";
import { exact } from "./shape.ts";
import {
  AcceptPlanSchema,
  CopiedPathsSchema,
  CopyRecordSchema,
  JournalChangeSchema,
  RunMetadataSchema,
  SavedRuleSchema,
  SettledChangeSchema,
  StoredConsentsSchema,
  StoredDigestsSchema,
} from "./stored-files.ts";
import { validator } from "./validator.ts";

export const isLoggedEvent = validator(LoggedEventSchema);
export const isNewerEvent = validator(NewerEventSchema);
export const isJournalChange = validator(JournalChangeSchema);
export const isSettledChange = validator(SettledChangeSchema);
export const isAcceptPlan = validator(AcceptPlanSchema);
export const isStoredDigests = validator(StoredDigestsSchema);
export const isRunMetadata = validator(RunMetadataSchema);
export const isSavedRule = validator(SavedRuleSchema);
export const isCopyRecord = validator(CopyRecordSchema);
export const isCopiedPaths = validator(CopiedPathsSchema);
export const isWaysPage = validator(WaysPageSchema);
export const isEvalReport = validator(EvalReportSchema);
export const isStoredLessons = validator(StoredLessonsSchema);
export const isReplyFormat = validator(ReplyFormatSchema);
export const isHookAnswer = validator(HookAnswerSchema);
export const isFolderManifest = validator(FolderManifestSchema);
export const isStoredConsents = validator(StoredConsentsSchema);
export const isMcpServer = validator(McpServerSchema);
export const isMcpMemory = validator(McpMemorySchema);
/** Requests may hold no field that they do not define. */
export const isPanelRequest = validator(exact(PanelRequestSchema));
