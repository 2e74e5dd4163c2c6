import type { Command, PrepareContext, PreparedCall, RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { type Args, createObjectSchema, getNumberArgument, getTextArgument } from "../arguments.ts";
import type { FileChangeDependencies } from "../file-change.ts";
import { createFailure, createSuccess, markIgnoredPlace } from "../outcomes.ts";
import {
  CODE_ALIASES,
  CODE_ARGUMENTS,
  type CodeInput,
  formatRequests,
  loadCodeInput,
  prepareQuestion,
  WISHES,
} from "./code-input.ts";
import {
  askFocusedQuestion,
  type CodeDependencies,
  explainWithheldModel,
  extractFencedCode,
  NO_CODE,
  summarizeLines,
} from "./focused-call.ts";
import { APPLY, type CodeWritingDependencies, GeneratedTexts } from "./generated-texts.ts";

const TASK =
  "You improve code without changing what it is for. Do what is wanted, and what makes it plainer, safer or more right; leave alone what is good. First say in a few lines what you changed and why. Then give the whole improved code between fences (```), nothing left out.";

/** Lets the fast model improve code; the result can be proposed as a change. */
export function improveCode(parts: CodeDependencies & FileChangeDependencies): Command {
  const writing: CodeWritingDependencies = { ...parts, kept: new GeneratedTexts() };
  return {
    name: "improve_code",
    aliases: ["refactor_code", "optimize_code"],
    category: "code",
    effect: "read",
    traits: { titles: [{ code: "ImproveFile", file: "filename" }, { code: "ImproveCode" }], rank: 310 },
    description:
      "Has the fast model rewrite a file or code, given only that. For mechanical rewrites of whole files; otherwise use edit_file. Then call it with filename and apply to propose the result.",
    parameters: createObjectSchema({
      ...CODE_ARGUMENTS,
      suggestions: WISHES,
      apply: APPLY,
    }),
    argumentAliases: { ...CODE_ALIASES, improvements: "suggestions", suggestion: "suggestions" },
    withheld: () => explainWithheldModel(parts),
    prepare: (args, preparing) => prepare(writing, args, preparing),
  };
}

async function prepare(
  parts: CodeWritingDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const apply = getNumberArgument(args, "apply");
  const filename = getTextArgument(args, "filename");
  if (apply !== undefined && filename === undefined)
    return createFailure('The argument "filename" is missing: the file to change.');
  if (apply !== undefined)
    return parts.kept.prepareProposal(parts, apply, await parts.workspace.locate(filename ?? ""));
  const given = await loadCodeInput(parts.workspace, args, signal);
  if (!("what" in given)) return given;
  const wishes = formatRequests(args, "suggestions");
  return prepareQuestion(given, { doing: "improve", lead: "", wishes }, (running) =>
    runImprovement(parts, given, wishes, running),
  );
}

async function runImprovement(
  parts: CodeWritingDependencies,
  given: CodeInput,
  wishes: string,
  running: RunContext,
): Promise<Outcome> {
  const reply = await askFocusedQuestion(parts, given, { on: "improve_code", task: TASK, wishes }, running);
  if (typeof reply !== "string") return reply;
  const { place } = given;
  const code = extractFencedCode(reply);
  if (!place || code === "") return createSuccess(reply, code === "" ? NO_CODE : summarizeLines(code));
  parts.kept.keep(running.step, given.code.endsWith("\n") ? `${code}\n` : code, place);
  const hint = `[To propose this as a change call improve_code with filename "${place.label}" and apply ${running.step}.]`;
  return markIgnoredPlace(createSuccess(`${reply}\n\n${hint}`, summarizeLines(code)), place);
}
