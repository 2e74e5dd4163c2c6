import assert from "node:assert/strict";
import type { Model, ReasoningEffort, ReplyFormat } from "../../../../src/core/ports/model.ts";
import { FormatChoice } from "../../../../src/core/reply/formats.ts";
import { chatModel } from "../../../../src/models/chat/chat-model.ts";
import { familyOf } from "../../../../src/models/chat/families.ts";
import { openAiServer } from "../../../../src/models/http/endpoint.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { inEnglish } from "../../../../src/texts/display-text.ts";
import { refusal, type SeenRequest, serverForSuite } from "../../../support/fake-model-server.ts";
import { ofType, rehearsal } from "../../../support/rehearsal.ts";
import { type Said, type ScriptedResponses, scriptedResponses } from "../../../support/responses-rules.ts";

type Body = SeenRequest["body"];

const OPENAI = "https://api.openai.com/v1";
const STEPS = 30;
const FORMATS = ["tools", "jsonSchema", "text"] as const;

/** The model's reply in a step: sometimes with words, several calls, or none that can be read. */
function saidIn(step: number, { tools }: Body): Said {
  const args = { title: `note ${step}` };
  const name = step >= STEPS ? "task_complete" : step % 7 === 3 ? "write_note" : "read_note";
  if (step % 11 === 5) return { text: "No call today." };
  const thoughts = { text: "On I go." };
  if (!tools) return { text: JSON.stringify({ thoughts, command: { name, args } }) };
  const call = { name, args: { thoughts, ...args } };
  const calls = step % 5 === 2 ? [call, { name: "read_note", args: { title: "another" } }] : [call];
  return step % 4 === 1 ? { text: "I look at a note.", calls } : { calls };
}

interface Options {
  readonly name?: string;
  readonly effort?: ReasoningEffort;
  readonly contextWindow?: number;
  readonly api?: "auto" | "chat" | "responses";
}

describe("a run over Responses with a server that enforces the published rules", () => {
  const server = serverForSuite();

  function modelOf({ name = "gpt-5.6-terra", effort, contextWindow = 64_000, api }: Options = {}): Model {
    const { baseUrl } = server();
    return chatModel({
      ...{ name, contextWindow, temperature: 0.2, reasoningEffort: effort, problem: undefined, api },
      server: openAiServer(baseUrl, { model: name, apiKey: "k", timeoutSeconds: 60 }),
      family: familyOf(name, OPENAI, effort, api ?? "auto"),
      connection: { baseUrl, apiKey: "k" },
    });
  }

  /** A run until `steps` replies came; its start may be the events of another. */
  async function run(
    model: Model,
    {
      format = "tools",
      events = [],
      steps = STEPS,
      rules = scriptedResponses(),
      pictures = false,
    }: {
      readonly format?: ReplyFormat;
      readonly events?: readonly AgentEvent[];
      readonly steps?: number;
      readonly rules?: ScriptedResponses;
      readonly pictures?: boolean;
    } = {},
  ) {
    const notices: string[] = [];
    let replies = ofType(events, "replied").length;
    server().plan(({ path, body }) => {
      if (path !== "/v1/responses") return refusal(404, `Unknown path ${path}`);
      const answer = rules.answer(body, saidIn(replies + 1, body));
      if ((answer.status ?? 200) === 200 && ++replies >= steps && steps < STEPS) done.live.stop();
      return answer;
    });
    const done = await rehearsal({
      answers: [],
      ...(events.length > 0 ? { events } : {}),
      thinking: {
        model,
        formats: new FormatChoice([format]),
        notice: (text) => void notices.push(inEnglish(text)),
      },
    });
    void pictures;
    done.live.resume();
    const end = await done.live.end;
    return { end: end.reason === "failed" ? end.error : end.reason, events: done.log.events, rules, notices };
  }

  for (const format of FORMATS)
    for (const contextWindow of [64_000, 2_000])
      it(`has ${STEPS} steps without a refusal in the format ${format}, in a window of ${contextWindow} tokens`, async () => {
        const { end, events, rules } = await run(modelOf({ contextWindow }), { format });
        assert.deepEqual(
          {
            end,
            replies: ofType(events, "replied").length,
            refused: rules.refused,
            compacted: ofType(events, "compacted").length > 0,
          },
          { end: "finished", replies: STEPS, refused: [], compacted: contextWindow < 64_000 },
        );
      });
});
