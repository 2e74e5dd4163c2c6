import assert from "node:assert/strict";
import { createAllCommands } from "../../../src/commands/all.ts";
import { ContextBudget } from "../../../src/core/context/context-budget.ts";
import { countMessageTokens, requestTokens } from "../../../src/core/context/tokens.ts";
import type { ChatMessage } from "../../../src/core/ports/model.ts";
import { createDefaultDirectives } from "../../../src/core/prompt/prompt-texts.ts";
import { FormatChoice, listPossibleFormats } from "../../../src/core/reply/formats.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { type Answer, FakeModel, says } from "../../support/fake-model.ts";
import { ofType, rehearse } from "../../support/rehearsal.ts";

const STEPS = 1_000;
const COMMANDS = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) }).map(
  ({ name, description, parameters }) => ({ name, description, parameters }),
);

/** A reply about so long, now shorter and now longer, from a server that counts as we do. */
const replies = (chars: number): Answer[] =>
  Array.from({ length: STEPS }, (_, step) => {
    const title = `${step} ${"some words about it ".repeat((chars / 20) * (0.4 + (step % 7) / 5))}`;
    return async (request) => ({
      ...says("write_note", { title }, `Step ${step}.`),
      usage: { input: requestTokens(request), output: 100 },
    });
  });

/** Tokens of what the prompts told of the run that no earlier one had told: replies, outcomes and summaries. */
function newText({ requests }: FakeModel): number {
  const told = new Map<string, ChatMessage>();
  for (const { messages } of requests) for (const message of messages.slice(1, -1)) told.set(message.content, message);
  return [...told.values()].reduce((sum, message) => sum + countMessageTokens(message), 0);
}

/** A run of many steps with all commands there are, in a window of this size. */
async function longRun(window: number, chars: number) {
  const finish = says("task_complete", { title: "Done." });
  const model = new FakeModel([...replies(chars), finish], ["tools", "jsonSchema", "text"], window);
  const summary = { text: "I wrote notes. ".repeat(window / 80), usage: { input: 900, output: 20 } };
  const fast = new FakeModel([summary], ["text"], window);
  const { log, end } = await rehearse({
    answers: [],
    model,
    start: {
      commands: COMMANDS,
      directives: createDefaultDirectives(COMMANDS.map(({ name }) => name)),
      model: { smart: "fake", fast: "fake", contextWindow: window },
    },
    thinking: {
      contextBudget: new ContextBudget({ getFastModel: () => fast }),
      formats: new FormatChoice(listPossibleFormats(model)),
    },
  });
  const over = model.requests.filter((request) => requestTokens(request) + (request.maxReplyTokens ?? 0) > window);
  const compactions = ofType(log.events, "compacted").length;
  return { end: end.reason, over: over.length, perHalfWindow: (compactions * window) / 2 / newText(model) };
}

describe("a run of 1,000 steps with all commands", () => {
  for (const [window, chars] of [
    [4_096, 400],
    [8_192, 800],
    [16_384, 1_500],
    [128_000, 6_000],
  ] as const) {
    it(`never outgrows a window of ${window}, and compacts at most once for each half of it in new text`, async () => {
      const { end, over, perHalfWindow } = await longRun(window, chars);
      assert.deepEqual([end, over, perHalfWindow <= 1 || perHalfWindow], ["finished", 0, true]);
    });
  }
});
