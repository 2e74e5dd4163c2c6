import { actionsTexts } from "./english/actions.ts";
import { approvalTexts } from "./english/approval.ts";
import { chatTexts } from "./english/chat.ts";
import { codehostTexts } from "./english/codehost.ts";
import { commonTexts } from "./english/common.ts";
import { fleetTexts } from "./english/fleet.ts";
import { headerTexts } from "./english/header.ts";
import { isolationTexts } from "./english/isolation.ts";
import { mcpTexts } from "./english/mcp.ts";
import { modelsTexts } from "./english/models.ts";
import { pluginsTexts } from "./english/plugins.ts";
import { resultsTexts } from "./english/results.ts";
import { reviewTexts } from "./english/review.ts";
import { runsTexts } from "./english/runs.ts";
import { safetyTexts } from "./english/safety.ts";
import { scmTexts } from "./english/scm.ts";
import { sshTexts } from "./english/ssh.ts";
import { startTexts } from "./english/start.ts";
import { temporalTexts } from "./english/temporal.ts";
import { timelineTexts } from "./english/timeline.ts";
import { troubleTexts } from "./english/trouble.ts";

/** Every text that people see, in English. A file per area holds them, and each code begins with its area. */
export const ENGLISH = {
  ...commonTexts,
  ...actionsTexts,
  ...approvalTexts,
  ...chatTexts,
  ...codehostTexts,
  ...fleetTexts,
  ...headerTexts,
  ...isolationTexts,
  ...modelsTexts,
  ...pluginsTexts,
  ...mcpTexts,
  ...resultsTexts,
  ...reviewTexts,
  ...runsTexts,
  ...safetyTexts,
  ...scmTexts,
  ...sshTexts,
  ...temporalTexts,
  ...startTexts,
  ...timelineTexts,
  ...troubleTexts,
} as const;
