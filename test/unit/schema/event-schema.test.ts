import assert from "node:assert/strict";
import { Ajv } from "ajv";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import { EVENT_SCHEMA } from "../../../src/schema/event-schema.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { agentEvent } from "../../../src/schema/panel-run-checks.ts";

const ajv = new Ajv({ strict: false, discriminator: true });
const at = { seq: 1, at: "2026-01-02T03:04:05.000Z" };

const replied = (cachedRatio: unknown): object => ({
  ...at,
  ...{ type: "replied", step: 1, format: "text", text: "", calls: [], finish: "stop", model: "m" },
  reply: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "x", args: {} } },
  usage: { input: 9, output: 1, cached: 8, cachedRatio },
});

const recalled = (isClean: unknown): object => ({
  ...at,
  ...{ type: "recalled", step: 1, memories: [{ text: "x", source: "run a: step 1", score: 1, isClean }] },
});

describe("the schema of events", () => {
  it("is one", () => {
    assert.equal(ajv.validateSchema(EVENT_SCHEMA), true);
  });

  it("and the panel's agree on what a cached token costs and on clean memories", () => {
    const valid = ajv.compile<AgentEvent>(EVENT_SCHEMA);
    const events = [replied(0.1), replied("0.1"), recalled(true), recalled("yes")];
    assert.deepEqual(
      events.map((event) => [valid(event), agentEvent(event)]),
      [
        [true, true],
        [false, false],
        [true, true],
        [false, false],
      ],
    );
  });
});
