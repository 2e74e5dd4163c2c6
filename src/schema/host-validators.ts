import { StoredLessonsSchema } from "./dialect.ts";
import { EvalReportSchema } from "./eval-report.ts";
import { LoggedEventSchema, NewerEventSchema } from "./events.ts";
import { BatchLineSchema, BatchTaskSchema } from "./fleet/batches.ts";
import {
  FleetBindingSchema,
  FleetDecisionSchema,
  FleetMessageSchema,
  HeardMessagesSchema,
  SealedTextSchema,
} from "./fleet/decisions.ts";
import { FleetBeatSchema, FleetOrderSchema } from "./fleet/orders.ts";
import {
  AskedQuestionSchema,
  KnownPlacesSchema,
  LiveReplySchema,
  ServedLineSchema,
  ServedRecordSchema,
  ServedRequestSchema,
} from "./fleet/served.ts";
import { CarriedRunSchema, CarriedStateSchema, FleetTaskSchema, SubmittedTaskSchema } from "./fleet/tasks.ts";
import { McpMemorySchema, McpServerSchema } from "./mcp-values.ts";
import { PanelRequestSchema } from "./panel-messages.ts";
import { FolderManifestSchema, HookAnswerSchema } from "./plugin-values.ts";
import { WaysPageSchema } from "./review-page.ts";
import { ReplyFormatSchema } from "./run-values.ts";
import { UnsentOfRunSchema } from "./saved-panel.ts";
import { rejectUnknownFields } from "./shape.ts";
import {
  AcceptPlanSchema,
  CopiedPathsSchema,
  CopyRecordSchema,
  CostLineSchema,
  JournalChangeSchema,
  RunMetadataSchema,
  SavedRuleSchema,
  SettledChangeSchema,
  StoredConsentsSchema,
  StoredDigestsSchema,
} from "./stored-files.ts";
import { createValidator } from "./validator.ts";

export const isLoggedEvent = createValidator(LoggedEventSchema);
export const isNewerEvent = createValidator(NewerEventSchema);
export const isJournalChange = createValidator(JournalChangeSchema);
export const isSettledChange = createValidator(SettledChangeSchema);
export const isAcceptPlan = createValidator(AcceptPlanSchema);
export const isStoredDigests = createValidator(StoredDigestsSchema);
export const isRunMetadata = createValidator(RunMetadataSchema);
export const isSavedRule = createValidator(SavedRuleSchema);
export const isCopyRecord = createValidator(CopyRecordSchema);
export const isCopiedPaths = createValidator(CopiedPathsSchema);
export const isCostLine = createValidator(CostLineSchema);
export const isWaysPage = createValidator(WaysPageSchema);
export const isEvalReport = createValidator(EvalReportSchema);
export const isStoredLessons = createValidator(StoredLessonsSchema);
export const isReplyFormat = createValidator(ReplyFormatSchema);
export const isHookAnswer = createValidator(HookAnswerSchema);
export const isFolderManifest = createValidator(FolderManifestSchema);
export const isStoredConsents = createValidator(StoredConsentsSchema);
export const isMcpServer = createValidator(McpServerSchema);
export const isMcpMemory = createValidator(McpMemorySchema);
/** Requests can't have unknown fields. */
export const isPanelRequest = createValidator(rejectUnknownFields(PanelRequestSchema));
export const isUnsentOfRun = createValidator(UnsentOfRunSchema);
export const isCarriedRun = createValidator(CarriedRunSchema);
export const isFleetBinding = createValidator(FleetBindingSchema);
export const isFleetDecision = createValidator(FleetDecisionSchema);
export const isFleetMessage = createValidator(FleetMessageSchema);
export const isSealedText = createValidator(SealedTextSchema);
export const isHeardMessages = createValidator(HeardMessagesSchema);
export const isAskedQuestion = createValidator(AskedQuestionSchema);
export const isSubmittedTask = createValidator(SubmittedTaskSchema);
export const isFleetTask = createValidator(FleetTaskSchema);
export const isCarriedState = createValidator(CarriedStateSchema);
export const isServedLine = createValidator(ServedLineSchema);
export const isServedRequest = createValidator(rejectUnknownFields(ServedRequestSchema));
export const isLiveReply = createValidator(LiveReplySchema);
export const isServedRecord = createValidator(ServedRecordSchema);
export const isKnownPlaces = createValidator(KnownPlacesSchema);
export const isFleetOrder = createValidator(FleetOrderSchema);
export const isFleetBeat = createValidator(FleetBeatSchema);
export const isBatchTask = createValidator(BatchTaskSchema);
export const isBatchLine = createValidator(BatchLineSchema);
