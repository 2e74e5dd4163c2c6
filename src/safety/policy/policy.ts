import { errorMessage } from "../../core/base/errors.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { type DisplayText, displayText, inEnglish } from "../../texts/display-text.ts";
import { pathBelow } from "../paths/paths.ts";
import { outdatedApproval, unjudgedProgram } from "./after-text.ts";
import {
  approvedByUser,
  askByEffect,
  claimedFile,
  continuousMode,
  grant,
  noEffect,
  onlyByUser,
  outsideWorkspace,
  planFirst,
  planReady,
  protectedFile,
  published,
  readsWorkspace,
  refusedByRule,
  tamperedControls,
  tooMuch,
  unsavedChanges,
  untrustedText,
  untrustedWorkspace,
  userRule,
} from "./considerations.ts";
import { isolatedCall } from "./isolated-considerations.ts";
import {
  destructiveLine,
  doubtfulLine,
  outOfBounds,
  protectedInCode,
  protectedInLine,
  reachesFar,
  readOnlyLine,
  sandboxedLine,
  savedLine,
  unreadableLine,
  writesOutside,
} from "./line-considerations.ts";
import { asks, type Consideration, type PolicyContext, type Verdict } from "./verdict.ts";

/** One row of the policy. */
interface ConsiderationRow {
  /** Stable name. A verdict carries the `rule` that logs and cards show, which several rows may share. */
  readonly name: string;
  readonly consider: Consideration;
  /** Source file that holds what decides, from the repository's root. */
  readonly file: string;
  /** Why it's at this position. */
  readonly why: string;
}

const CALLS = "src/safety/policy/considerations.ts";
const LINES = "src/safety/policy/line-considerations.ts";

/** The policy. The first row that returns a verdict decides: refusals come before approvals, and what always asks before what allows. */
export const CONSIDERATIONS: readonly ConsiderationRow[] = [
  {
    name: "untrusted-workspace",
    consider: untrustedWorkspace,
    file: CALLS,
    why: "First: nothing in an untrusted workspace may decide anything, not even a rule.",
  },
  {
    name: "plan-ready",
    consider: planReady,
    file: CALLS,
    why: "Before plan-first, which would refuse the plan itself.",
  },
  {
    name: "plan-first",
    consider: planFirst,
    file: CALLS,
    why: "Before every approval: while the user waits for a plan, nothing that acts is allowed.",
  },
  {
    name: "too-much",
    consider: tooMuch,
    file: CALLS,
    why: "Before the rows that look at each file, so that their time stays bounded.",
  },
  {
    name: "destructive",
    consider: destructiveLine,
    file: "src/safety/shell/destructive.ts",
    why: "Before every approval, the user's included: these lines are refused in every mode.",
  },
  {
    name: "refused-by-rule",
    consider: refusedByRule,
    file: "src/safety/policy/rule-match.ts",
    why: "Before the user's approval: an edited call is still bound by deny patterns and rules that refuse.",
  },
  {
    name: "approved-by-user",
    consider: approvedByUser,
    file: CALLS,
    why: "After the refusals and before every question, since the user has just seen this call.",
  },
  {
    name: "isolated",
    consider: isolatedCall,
    file: "src/safety/policy/isolated-considerations.ts",
    why: "After the refusals and before every question: the user reviews what is in the copy before it leaves.",
  },
  {
    name: "protected-file",
    consider: protectedFile,
    file: "src/safety/paths/sensitive-table.ts",
    why: "Before rules and grants that allow: protected files ask in every mode.",
  },
  {
    name: "outside-workspace",
    consider: outsideWorkspace,
    file: CALLS,
    why: "After protected-file, whose reason is more specific; before rules and grants that allow.",
  },
  {
    name: "doubtful-line",
    consider: doubtfulLine,
    file: "src/safety/shell/destructive.ts",
    why: "Before rules and grants that allow: what a line deletes must be known in every mode.",
  },
  {
    name: "protected-in-line",
    consider: protectedInLine,
    file: "src/safety/shell/mentions.ts",
    why: "After doubtful-line, whose reason is graver; before rules and grants that allow.",
  },
  {
    name: "protected-in-code",
    consider: protectedInCode,
    file: "src/safety/shell/mentions.ts",
    why: "The same for a program given as text; a call has either code or a command line.",
  },
  {
    name: "out-of-bounds",
    consider: outOfBounds,
    file: "src/safety/shell/named-files.ts",
    why: "After the protected files; before rules and grants, which can't reopen what .autogptignore excludes.",
  },
  {
    name: "unreadable-line",
    consider: unreadableLine,
    file: "src/safety/shell/bash.ts",
    why: "After the rows that also read the raw text; before rules that allow, which need the parsed line.",
  },
  {
    name: "only-by-user",
    consider: onlyByUser,
    file: CALLS,
    why: "Beside unreadable-line: what can't be judged in advance asks, whatever rules, grants and modes say.",
  },
  {
    name: "untrusted-text",
    consider: untrustedText,
    file: CALLS,
    why: "Before rules and grants that allow: text by others may have led to this call.",
  },
  {
    name: "unjudged-program",
    consider: unjudgedProgram,
    file: "src/safety/policy/after-text.ts",
    why: "After untrusted-text, whose reason names the hosts; before rules and grants that allow.",
  },
  {
    name: "outdated-approval",
    consider: outdatedApproval,
    file: "src/safety/policy/after-text.ts",
    why: "Before rules and grants that allow, since those from before the text don't cover it.",
  },
  {
    name: "control-files-changed",
    consider: tamperedControls,
    file: CALLS,
    why: "Before rules and grants that allow: the next program may be what a sandboxed line prepared.",
  },
  {
    name: "unsaved-changes",
    consider: unsavedChanges,
    file: CALLS,
    why: "Before rules and grants that allow: a program that runs on older files misleads the agent.",
  },
  {
    name: "claimed-file",
    consider: claimedFile,
    file: CALLS,
    why: "Before rules and grants that allow: two runs must not overwrite each other's work unseen.",
  },
  {
    name: "user-rule",
    consider: userRule,
    file: "src/safety/policy/rule-match.ts",
    why: "After what asks in every mode, and before the built-in defaults, which rules override.",
  },
  {
    name: "publishes",
    consider: published,
    file: CALLS,
    why: "After the user's rules, the only thing that allows it; before continuous mode and grants.",
  },
  {
    name: "no-effect",
    consider: noEffect,
    file: CALLS,
    why: "After the user's rules, which may still ask about it.",
  },
  {
    name: "reads",
    consider: readsWorkspace,
    file: CALLS,
    why: "After protected and outside files were ruled out, and after the user's rules.",
  },
  {
    name: "far-reaching",
    consider: reachesFar,
    file: "src/safety/shell/far-reaching.ts",
    why: "After rules and saved lines can allow it; before the sandbox, continuous mode and grants.",
  },
  {
    name: "saved-line",
    consider: savedLine,
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
    consider: sandboxedLine,
    file: LINES,
    why: "Before writes-outside, because the sandbox prevents such writes.",
  },
  {
    name: "writes-outside",
    consider: writesOutside,
    file: "src/safety/shell/reach.ts",
    why: "After rules and saved lines; before continuous mode and grants, which don't cover it.",
  },
  {
    name: "continuous",
    consider: continuousMode,
    file: CALLS,
    why: "After everything that asks in every mode; before a grant, so that a grant isn't used up.",
  },
  { name: "grant", consider: grant, file: CALLS, why: "The last row that allows." },
  {
    name: "effect",
    consider: askByEffect,
    file: CALLS,
    why: "Last: what nothing else decided is up to the user.",
  },
];

/** The most links that a card explains. */
const MOST_LINKS = 5;

/** Decides whether a proposal may run. Pure; an error of its own asks. Only tests pass other `rows`. */
export function judge(
  request: ApprovalRequest,
  context: PolicyContext,
  rows: readonly ConsiderationRow[] = CONSIDERATIONS,
): Verdict {
  try {
    for (const { consider, file } of rows) {
      const verdict = consider(request, context);
      if (verdict) return withLinks({ ...verdict, file }, request, context);
    }
    throw new Error("no consideration decided");
  } catch (error) {
    return policyFailed(error);
  }
}

/** The verdict when the policy itself failed. */
export function policyFailed(error: unknown): Verdict {
  const verdict = asks(
    "policy-error",
    displayText("safety.policyFailed", { error: errorMessage(error) }),
    true,
  );
  return { ...verdict, file: "src/safety/policy/policy.ts" };
}

/** Adds to the reason of a question where links lead. */
function withLinks(
  verdict: Verdict,
  { prepared }: ApprovalRequest,
  { folders, platform }: PolicyContext,
): Verdict {
  if (verdict.verdict !== "ask") return verdict;
  const short = (path: string): string => `"${pathBelow(path, folders, platform)}"`;
  const leads = prepared.touches.flatMap(({ path, via: [link] = [] }) =>
    link === undefined ? [] : [displayText("safety.link", { link: short(link), path: short(path) })],
  );
  const unique = [...new Map(leads.map((lead) => [inEnglish(lead), lead])).values()].slice(0, MOST_LINKS);
  return unique.reduce(withSentence, verdict);
}

function withSentence(verdict: Verdict, second: DisplayText): Verdict {
  const text = displayText("common.twoSentences", { first: verdict.text ?? verdict.reason, second });
  return { ...verdict, reason: inEnglish(text), text };
}
