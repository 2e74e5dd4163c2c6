import type { Command, PrepareContext, PreparedCall, RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { type Args, createObjectSchema, FILENAME, getNumberArgument, getTextArgument } from "../arguments.ts";
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
  "You write tests for code. Use the test library that the code's own project uses where that can be seen, else the usual one of its language. Test what it promises: the ordinary case, the edges, and what must fail. Give one whole file of tests between fences (```), and before it one line that says what is tested.";

/** Lets the fast model write tests for code; the result can be proposed as a file. */
export function writeTests(parts: CodeDependencies & FileChangeDependencies): Command {
  const writing: CodeWritingDependencies = { ...parts, kept: new GeneratedTexts() };
  return {
    name: "write_tests",
    aliases: ["generate_tests", "write_unit_tests"],
    category: "code",
    effect: "read",
    traits: { titles: [{ code: "WriteFileTests", file: "filename" }, { code: "WriteTests" }], rank: 300 },
    description:
      "Has the fast model write tests for a file or code, given only that. For self-contained code; if tests need the project's helpers, write them yourself. Then call it with target and apply to propose them.",
    parameters: createObjectSchema({
      ...CODE_ARGUMENTS,
      focus: WISHES,
      target: { ...FILENAME, description: "The test file." },
      apply: APPLY,
    }),
    argumentAliases: { ...CODE_ALIASES, test_file: "target", destination: "target" },
    withheld: () => explainWithheldModel(parts),
    prepare: (args, preparing) => prepare(writing, args, preparing),
  };
}

async function prepare(
  parts: CodeWritingDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const [apply, target] = [getNumberArgument(args, "apply"), getTextArgument(args, "target")];
  if ((apply === undefined) !== (target === undefined))
    return createFailure('"target" and "apply" go together: the file for the tests, and the step that wrote them.');
  if (apply !== undefined && target !== undefined)
    return parts.kept.prepareProposal(parts, apply, await parts.workspace.locate(target, "new"));
  const given = await loadCodeInput(parts.workspace, args, signal);
  if (!("what" in given)) return given;
  const wishes = formatRequests(args, "focus");
  return prepareQuestion(given, { doing: "write tests for", lead: ", about", wishes }, (running) =>
    write(parts, given, wishes, running),
  );
}

async function write(
  parts: CodeWritingDependencies,
  given: CodeInput,
  wishes: string,
  running: RunContext,
): Promise<Outcome> {
  const reply = await askFocusedQuestion(parts, given, { on: "write_tests", task: TASK, wishes }, running);
  if (typeof reply !== "string") return reply;
  const code = extractFencedCode(reply);
  if (code === "") return createSuccess(reply, NO_CODE);
  parts.kept.keep(running.step, `${code}\n`, undefined);
  const hint = `[To propose this as a file call write_tests with its name as target and apply ${running.step}.]`;
  const outcome = createSuccess(`${reply}\n\n${hint}`, summarizeLines(code));
  return given.place ? markIgnoredPlace(outcome, given.place) : outcome;
}
