import { escapeInvisible, escapeInvisibleJson } from "../../core/base/text.ts";
import { findEnvironmentSecrets } from "../../runs/log/named-secrets.ts";
import { makeSecrets } from "../../runs/log/secrets.ts";
import { type ChangeTarget, loadChanges, openReadRepository, REVIEW_LIMITS } from "../../runtime/review/change-set.ts";
import { describeHidden, isUnseen } from "../../runtime/review/change-text.ts";
import { summarizeFindings } from "../../runtime/review/finding-text.ts";
import { createPaidModel } from "../../runtime/review/paid-model.ts";
import { type ReviewReport, reviewChanges } from "../../runtime/review/review-changes.ts";
import { getRunLimits } from "../../schema/read-settings.ts";
import type { Finding } from "../../schema/review-page.ts";
import { displayText, writeInEnglish } from "../../texts/display-text.ts";
import { formatSpending } from "../display.ts";
import { type ProgramEnd, printHelp } from "../exit-code.ts";
import { type Flag, type Flags, readFlags, renderFlags } from "../flags.ts";
import { createRunOptions } from "../options.ts";
import { runWithSession, type Session, type Subcommand } from "../session.ts";
import { UsageError } from "../usage-error.ts";

const FLAGS = {
  base: { value: "BRANCH", help: "review all that this branch doesn't have (else what isn't committed)" },
  commit: { value: "REV", help: "review one commit" },
} as const satisfies Readonly<Record<string, Flag>>;

const USAGE = `Usage: autogpt review [--base BRANCH | --commit REV] [options]

Has the main model review changes, and prints what it finds with its file and line. Nothing is written, and no program
of the repository runs. What may hold secrets isn't sent. The limits of a run hold, as in --set run.budgetUsd=0.50.

${renderFlags(FLAGS)}
  --workspace DIR         a folder in the repository (else the current one)
  --json                  print the findings alone, as JSON, one per line
Settings and their flags are those of a run.

Exit codes: 0 nothing found, 5 something found, 4 a part couldn't be reviewed, 1 crashed, 130 stopped.
`;

/** `autogpt review`: reviews changes of a repository. Throws `UsageError`. */
export const runReviewCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, FLAGS);
  if (flags.has("help")) return printHelp(USAGE, around);
  const [stranger] = flags.rest;
  if (stranger !== undefined)
    throw new UsageError(`"${stranger}" is no option. A branch follows --base, a commit --commit.`);
  const target = readTarget(flags);
  return runWithSession(createRunOptions(flags, env, "stored run"), around, (session) => review(session, target));
};

function readTarget(flags: Flags<keyof typeof FLAGS>): ChangeTarget {
  const [base, commit] = [flags.findValue("base"), flags.findValue("commit")];
  if (base !== undefined && commit !== undefined)
    throw new UsageError("--base and --commit contradict each other. Give one of them.");
  if (base !== undefined) return { kind: "branch", name: base };
  return commit === undefined ? { kind: "uncommitted" } : { kind: "commit", name: commit };
}

async function review(session: Session, target: ChangeTarget): Promise<ProgramEnd> {
  const { workspace, host, loaded, options, out, around, warn } = session;
  const { signal } = around;
  const changes = await loadChanges(await openReadRepository(workspace, signal), target, REVIEW_LIMITS);
  if (!changes.some(({ hunks }) => hunks.length > 0)) {
    for (const note of describeHidden(changes)) warn(writeInEnglish(note));
    warn(writeInEnglish(displayText(changes.length === 0 ? "scm.nothingToReview" : "scm.nothingReadable")));
    return { kind: "reviewed", findings: 0, isIncomplete: changes.some(isUnseen) };
  }
  const { smart } = await host.models.resolveModelPair(workspace);
  const { redact } = makeSecrets([...(await host.secrets.listKeys()), ...findEnvironmentSecrets(process.env)]);
  const paid = createPaidModel(smart, {
    ...{ ledger: host.storage.costs, folder: workspace, limits: getRunLimits(loaded.settings.run), task: "review" },
    getSettings: () => loaded.settings.run,
    warn: (text) => warn(writeInEnglish(text)),
  });
  const report = await reviewChanges({ changes, paid, signal, redact });
  for (const finding of report.findings)
    out.writeLine(options.json ? escapeInvisibleJson(JSON.stringify(finding)) : renderFinding(finding));
  if (!options.json) out.writeLine(renderEnd(report));
  for (const note of report.notes) warn(writeInEnglish(note));
  return { kind: "reviewed", findings: report.findings.length, isIncomplete: report.isIncomplete };
}

function renderFinding({ file, line, severity, title, reason, suggestion }: Finding): string {
  const more = [reason, ...(suggestion === undefined ? [] : [suggestion])].filter((text) => text !== "");
  return escapeInvisible([`${file}:${line} ${severity} ${title}`, ...more.map((text) => `  ${text}`)].join("\n"));
}

function renderEnd(report: ReviewReport): string {
  return [writeInEnglish(summarizeFindings(report.findings, report.files)), formatSpending(report.totals)]
    .filter(Boolean)
    .join(" ");
}
