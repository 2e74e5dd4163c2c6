import assert from "node:assert/strict";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import { getEventTypeName } from "../../../src/schema/formats.ts";
import { convertToStoredEvent, readEvent } from "../../../src/schema/readers.ts";

const at = "2026-01-02T03:04:05.000Z";

const replied = (cachedRatio: unknown): object => ({
  seq: 1,
  at,
  type: "replied",
  step: 1,
  format: "text",
  text: "",
  calls: [],
  finish: "stop",
  model: "m",
  reply: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "x", args: {} } },
  usage: { input: 9, output: 1, cached: 8, cachedRatio },
});

const recalled = (isClean: unknown): object => ({
  seq: 1,
  at,
  type: "recalled",
  step: 1,
  memories: [{ text: "x", source: "run a: step 1", score: 1, isClean }],
});

const isRead = (value: unknown): boolean => readEvent(value, 1) !== undefined;

describe("an event of a log", () => {
  it("is read as it was written", () => {
    const event = { seq: 1, at, type: "paused", reason: "The disk is full." };
    assert.equal(readEvent(event, 1), event);
  });

  it("is read with fields that only a newer version knows", () => {
    const event = { seq: 1, at, type: "paused", reason: "The disk is full.", until: at };
    assert.deepEqual(readEvent(event, 1), event);
  });

  it("with another number, without a time or with a wrong field is none", () => {
    const paused = { seq: 1, at, type: "paused", reason: "" };
    const wrong = {
      number: { ...paused, seq: 2 },
      time: { ...paused, at: "soon" },
      field: { ...paused, reason: 1 },
      missing: { seq: 1, at, type: "paused" },
      cost: replied("0.1"),
      clean: recalled("yes"),
      type: { ...paused, type: 7 },
      nothing: undefined,
    };
    assert.deepEqual(
      Object.entries(wrong).filter(([, value]) => isRead(value)),
      [],
    );
  });

  it("may hold the price of a cached token, and memories that are clean", () => {
    assert.deepEqual({ price: isRead(replied(0.1)), clean: isRead(recalled(true)) }, { price: true, clean: true });
  });

  it("of an unknown type is kept whole", () => {
    const original = { seq: 1, at, type: "dreamed", by: "night", of: { plugin: "p" } };
    const event = readEvent(original, 1);
    assert.ok(event);
    assert.deepEqual(
      { event, name: getEventTypeName(event), stored: convertToStoredEvent(event) },
      { event: { seq: 1, at, type: "unknown", original }, name: "dreamed", stored: original },
    );
  });
});
