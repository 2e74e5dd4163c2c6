import { getErrorMessage } from "../../core/base/errors.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { type DisplayText, displayText, writeInEnglish } from "../../texts/display-text.ts";
import { getPathBelow } from "../paths/paths.ts";
import { judgeOutdatedApproval, judgeUnclearProgram } from "./after-text.ts";
import {
  askByEffect,
  grant,
  judgeActionBeforePlan,
  judgeApprovedOrigin,
  judgeClaimedFile,
  judgeContinuousMode,
  judgeFinishedPlan,
  judgeHarmlessCall,
  judgeOutsideWorkspace,
  judgeProtectedFile,
  judgePublishedWords,
  judgeRefusingRules,
  judgeTamperedControls,
  judgeTooManyFiles,
  judgeUnsavedChanges,
  judgeUntrustedText,
  judgeUntrustedWorkspace,
  judgeUserApproval,
  judgeUserOnlyCall,
  judgeUserRules,
  judgeWorkspaceRead,
} from "./considerations.ts";
import { judgeIsolatedCall } from "./isolated-considerations.ts";
import {
  judgeDestructiveLine,
  judgeDoubtfulLine,
  judgeFarReachingCall,
  judgeIgnoredFileInLine,
  judgeProtectedFileInCode,
  judgeProtectedFileInLine,
  judgeSandboxedLine,
  judgeSavedLine,
  judgeUnreadableLine,
  judgeWritesOutside,
  readOnlyLine,
} from "./line-considerations.ts";
import { type Consideration, createAskJudgment, type PolicyContext, type Verdict } from "./verdict.ts";

/** One row of the policy. */
interface ConsiderationRow {
  /** Stable name. A verdict carries the `rule` that logs and cards show, which several rows may share. */
  readonly name: string;
  readonly consider: Consideration;
  /** Source file with the deciding code, from the repository's root; absent: `considerations.ts`. */
  readonly file?: string;
  /** Why the row has this position. */
  readonly why: string;
}

const CALLS = "src/safety/policy/considerations.ts";
const LINES = "src/safety/policy/line-considerations.ts";

/**
 * The policy. The first row that returns a verdict decides: refusals come before approvals, and rows that always ask before rows that
 * allow.
 */
export const CONSIDERATIONS: readonly ConsiderationRow[] = [
  {
    name: "untrusted-workspace",
    consider: judgeUntrustedWorkspace,
    why: "First: nothing in an untrusted workspace may decide anything, not even a rule.",
  },
  {
    name: "plan-ready",
    consider: judgeFinishedPlan,
    why: "Before plan-first, which would refuse the plan itself.",
  },
  {
    name: "plan-first",
    consider: judgeActionBeforePlan,
    why: "Before every approval: while the user waits for a plan, nothing that acts is allowed.",
  },
  {
    name: "too-much",
    consider: judgeTooManyFiles,
    why: "Before the rows that look at each file, so that their time stays bounded.",
  },
  {
    name: "destructive",
    consider: judgeDestructiveLine,
    file: "src/safety/shell/destructive.ts",
    why: "Before every approval, the user's included: these lines are refused in every mode.",
  },
  {
    name: "refused-by-rule",
    consider: judgeRefusingRules,
    file: "src/safety/policy/rule-match.ts",
    why: "Before the user's approval: an edited call is still bound by deny patterns and rules that refuse.",
  },
  {
    name: "approved-by-user",
    consider: judgeUserApproval,
    why: "After the refusals and before every question, since the user has just seen this call.",
  },
  {
    name: "isolated",
    consider: judgeIsolatedCall,
    file: "src/safety/policy/isolated-considerations.ts",
    why: "After the refusals and before every question: the user reviews what is in the copy before it leaves.",
  },
  {
    name: "protected-file",
    consider: judgeProtectedFile,
    file: "src/safety/paths/sensitive-table.ts",
    why: "Before rules and grants that allow: protected files ask in every mode.",
  },
  {
    name: "outside-workspace",
    consider: judgeOutsideWorkspace,
    why: "After protected-file, whose reason is more specific; before rules and grants that allow.",
  },
  {
    name: "doubtful-line",
    consider: judgeDoubtfulLine,
    file: "src/safety/shell/destructive.ts",
    why: "Before rules and grants that allow: what a line deletes must be known in every mode.",
  },
  {
    name: "protected-in-line",
    consider: judgeProtectedFileInLine,
    file: "src/safety/shell/mentions.ts",
    why: "After doubtful-line, whose reason is graver; before rules and grants that allow.",
  },
  {
    name: "protected-in-code",
    consider: judgeProtectedFileInCode,
    file: "src/safety/shell/mentions.ts",
    why: "The same for a program given as text; a call has either code or a command line.",
  },
  {
    name: "out-of-bounds",
    consider: judgeIgnoredFileInLine,
    file: "src/safety/shell/named-files.ts",
    why: "After the protected files; before rules and grants, which can't reopen what .autogptignore excludes.",
  },
  {
    name: "unreadable-line",
    consider: judgeUnreadableLine,
    file: "src/safety/shell/bash.ts",
    why: "After the rows that also read the raw text; before rules that allow, which need the parsed line.",
  },
  {
    name: "only-by-user",
    consider: judgeUserOnlyCall,
    why: "Beside unreadable-line: what can't be judged in advance asks, whatever rules, grants and modes say.",
  },
  {
    name: "approved-origin",
    consider: judgeApprovedOrigin,
    why: "After everything that asks in every mode; before untrusted-text, since the page's text is such.",
  },
  {
    name: "untrusted-text",
    consider: judgeUntrustedText,
    why: "Before rules and grants that allow: text by others may have led to this call.",
  },
  {
    name: "unjudged-program",
    consider: judgeUnclearProgram,
    file: "src/safety/policy/after-text.ts",
    why: "After untrusted-text, whose reason names the hosts; before rules and grants that allow.",
  },
  {
    name: "outdated-approval",
    consider: judgeOutdatedApproval,
    file: "src/safety/policy/after-text.ts",
    why: "Before rules and grants that allow, since those from before the text don't cover it.",
  },
  {
    name: "control-files-changed",
    consider: judgeTamperedControls,
    why: "Before rules and grants that allow: the next program may be what a sandboxed line prepared.",
  },
  {
    name: "unsaved-changes",
    consider: judgeUnsavedChanges,
    why: "Before rules and grants that allow: a program that runs on older files misleads the agent.",
  },
  {
    name: "claimed-file",
    consider: judgeClaimedFile,
    why: "Before rules and grants that allow: two runs must not overwrite each other's work unseen.",
  },
  {
    name: "user-rule",
    consider: judgeUserRules,
    file: "src/safety/policy/rule-match.ts",
    why: "After what asks in every mode, and before the built-in defaults, which rules override.",
  },
  {
    name: "publishes",
    consider: judgePublishedWords,
    why: "After the user's rules, the only thing that allows it; before continuous mode and grants.",
  },
  {
    name: "no-effect",
    consider: judgeHarmlessCall,
    why: "After the user's rules, which may still ask about it.",
  },
  {
    name: "reads",
    consider: judgeWorkspaceRead,
    why: "After protected and outside files were ruled out, and after the user's rules.",
  },
  {
    name: "far-reaching",
    consider: judgeFarReachingCall,
    file: "src/safety/shell/far-reaching.ts",
    why: "After rules and saved lines can allow it; before the sandbox, continuous mode and grants.",
  },
  {
    name: "saved-line",
    consider: judgeSavedLine,
    file: "src/safety/policy/saved-rules.ts",
    why: "After everything that asks in every mode, which a saved line can't override.",
  },
  {
    name: "read-only-shell",
    consider: readOnlyLine,
    file: "src/safety/read-only/read-only.ts",
    why: "Beside saved-line; it needs the parsed line and its look at the disk.",
  },
  {
    name: "sandbox",
    consider: judgeSandboxedLine,
    file: LINES,
    why: "Before writes-outside, because the sandbox prevents such writes.",
  },
  {
    name: "writes-outside",
    consider: judgeWritesOutside,
    file: "src/safety/shell/reach.ts",
    why: "After rules and saved lines; before continuous mode and grants, which don't cover it.",
  },
  {
    name: "continuous",
    consider: judgeContinuousMode,
    why: "After everything that asks in every mode; before a grant, so that a grant isn't used up.",
  },
  { name: "grant", consider: grant, why: "The last row that allows." },
  {
    name: "effect",
    consider: askByEffect,
    why: "Last: what nothing else decided is up to the user.",
  },
];

/** Decides whether a proposal may run. Pure; if it fails itself, it asks. Only tests pass other `rows`. */
export function judge(
  request: ApprovalRequest,
  context: PolicyContext,
  rows: readonly ConsiderationRow[] = CONSIDERATIONS,
): Verdict {
  try {
    for (const { consider, file = CALLS } of rows) {
      const verdict = consider(request, context);
      if (verdict) return addLinksToReason({ ...verdict, file }, request, context);
    }
    throw new Error("no consideration decided");
  } catch (error) {
    return createPolicyFailureVerdict(error);
  }
}

/** The verdict when the policy itself failed. */
export function createPolicyFailureVerdict(error: unknown): Verdict {
  const verdict = createAskJudgment(
    "policy-error",
    displayText("safety.policyFailed", { error: getErrorMessage(error) }),
    true,
  );
  return { ...verdict, file: "src/safety/policy/policy.ts" };
}

/** Adds the targets of links to the reason of a question. */
function addLinksToReason(
  verdict: Verdict,
  { prepared }: ApprovalRequest,
  { folders, platform }: PolicyContext,
): Verdict {
  if (verdict.verdict !== "ask") return verdict;
  const formatShortPath = (path: string): string => `"${getPathBelow(path, folders, platform)}"`;
  const leads = prepared.touches.flatMap(({ path, via: [link] = [] }) =>
    link === undefined
      ? []
      : [displayText("safety.link", { link: formatShortPath(link), path: formatShortPath(path) })],
  );
  const unique = [...new Map(leads.map((lead) => [writeInEnglish(lead), lead])).values()].slice(0, 5);
  return unique.reduce(appendToReason, verdict);
}

function appendToReason(verdict: Verdict, second: DisplayText): Verdict {
  const text = displayText("common.twoSentences", { first: verdict.text ?? verdict.reason, second });
  return { ...verdict, reason: writeInEnglish(text), text };
}
