import assert from "node:assert/strict";
import { Ajv } from "ajv";
import type { AgentEvent } from "../../../src/core/event.ts";
import { promptOfStep } from "../../../src/core/prompt-of-step.ts";
import { agentEvent } from "../../../src/protocol-run.ts";
import { EVENT_SCHEMA } from "../../../src/runs/event-schema.ts";
import { says } from "../../support/fake-model.ts";
import { rehearse } from "../../support/rehearsal.ts";

describe("the schema of events", () => {
  const ajv = new Ajv({ strict: false, discriminator: true });

  it("is one", () => {
    assert.equal(ajv.validateSchema(EVENT_SCHEMA), true);
  });

  it("knows a run in several folders and a reply with an argument left out, whose prompts can be made again", async () => {
    const folders = [
      { name: "app", path: "/home/ann/app" },
      { name: "lib", path: "/home/ann/lib" },
    ];
    const { log, model } = await rehearse({
      answers: [says("read_note", { title: "a", volume: 11 }), says("task_complete", { title: "Done." })],
      start: { folders },
    });
    const read: AgentEvent[] = log.events.map((event) => JSON.parse(JSON.stringify(event)));
    const wrong = [
      { ...read[0], folders: ["app"] },
      { ...read[2], reply: { ...Object(read[2]).reply, dropped: "volume" } },
    ];
    const fits = ajv.compile(EVENT_SCHEMA);
    assert.deepEqual(
      {
        read: read.every((event) => fits(event) && agentEvent(event)),
        wrong: wrong.map((event) => [fits(event), agentEvent(event)]),
        prompts: [1, 2].map((step) => promptOfStep(read, step)?.messages),
      },
      {
        read: true,
        wrong: [
          [false, false],
          [false, false],
        ],
        prompts: model.requests.map(({ messages }) => messages),
      },
    );
  });
});
