import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { type Args, createObjectSchema } from "../arguments.ts";
import { createSuccess, markIgnoredPlace } from "../outcomes.ts";
import { CODE_ALIASES, CODE_ARGUMENTS, formatRequests, loadCodeInput, prepareQuestion, WISHES } from "./code-input.ts";
import { askFocusedQuestion, type CodeDependencies, explainWithheldModel, summarizeLines } from "./focused-call.ts";

const TASK =
  "You review code. Say what is wrong with it and how to put it right: mistakes first, then dangers, then what makes it hard to read or slow. One finding a line, the most important first, each with the line or the name that it is about. Where nothing is wrong, say so in one sentence.";

/** Lets the fast model look for problems in code. */
export function analyzeCode(parts: CodeDependencies): Command {
  return {
    name: "analyze_code",
    aliases: ["evaluate_code", "review_code"],
    category: "code",
    effect: "read",
    traits: { titles: [{ code: "AnalyzeFile", file: "filename" }, { code: "AnalyzeCode" }], rank: 290 },
    description:
      "Gets a second opinion on code from the fast model, which sees nothing else. For code you didn't write or a large file; review small code yourself.",
    parameters: createObjectSchema({
      ...CODE_ARGUMENTS,
      focus: { ...WISHES, description: "What to look for." },
    }),
    argumentAliases: { ...CODE_ALIASES, question: "focus", questions: "focus" },
    withheld: () => explainWithheldModel(parts),
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

async function prepare(
  parts: CodeDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const given = await loadCodeInput(parts.workspace, args, signal);
  if (!("what" in given)) return given;
  const wishes = formatRequests(args, "focus");
  return prepareQuestion(given, { doing: "review", lead: ", above all", wishes }, async (running) => {
    const reply = await askFocusedQuestion(parts, given, { on: "analyze_code", task: TASK, wishes }, running);
    if (typeof reply !== "string") return reply;
    const outcome = createSuccess(reply, summarizeLines(reply));
    return given.place ? markIgnoredPlace(outcome, given.place) : outcome;
  });
}
