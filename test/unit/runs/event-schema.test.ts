import assert from "node:assert/strict";
import { Ajv } from "ajv";
import { EVENT_SCHEMA } from "../../../src/runs/event-schema.ts";

describe("the schema of events", () => {
  it("is one", () => {
    assert.equal(new Ajv({ strict: false, discriminator: true }).validateSchema(EVENT_SCHEMA), true);
  });
});
