import { quoteAsData } from "../../core/base/text.ts";
import { type Finding, SEVERITIES } from "../../schema/review-page.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";

/** The findings by severity, as a sentence for people. */
export function summarizeFindings(findings: readonly Finding[], files: number): DisplayText {
  if (findings.length === 0) return displayText("scm.nothingFound", { count: files });
  const counts = SEVERITIES.map((severity) => findings.filter((finding) => finding.severity === severity).length);
  const [high = 0, medium = 0, low = 0] = counts;
  return displayText("scm.found", { count: findings.length, files, high, medium, low });
}

/** The task to fix a finding. `file`: as the agent names it. The finding is quoted, because a change can steer its words. */
export function describeFix({ line, endLine, title, reason, suggestion = "" }: Finding, file: string): string {
  const lines = line === endLine ? `line ${line}` : `lines ${line} to ${endLine}`;
  const found = [title, reason, suggestion].filter((text) => text !== "").join("\n");
  return `Look at what a review has found in ${file}, ${lines}. If it's right, fix it and check that it's gone; otherwise say why it isn't.\n\n${quoteAsData(found, "the review")}`;
}
