import assert from "node:assert/strict";
import { givenSettings } from "../../../src/headless/set-flags.ts";
import { UsageError } from "../../../src/headless/usage-error.ts";

const problem = (...flags: readonly string[]): string => {
  try {
    givenSettings(flags);
    return "none";
  } catch (error) {
    return error instanceof UsageError ? (error.message.split(". It knows")[0] ?? "") : String(error);
  }
};

describe("settings on the command line", () => {
  it("have the type of their default", () => {
    const { web, image, downloads, memory } = givenSettings([
      "web.allowHosts=localhost, 127.0.0.1:8080",
      "autogpt.web.maxBytes=20000",
      'web.searchHeaders={"token":"{key}"}',
      "web.googleEngineId=12345",
      "downloads.enabled=true",
      "image.size=64x64",
      "memory.queryMessages=5",
      "memory.summarise=true",
    ]);
    assert.deepEqual(
      [
        ...[web.allowHosts, web.maxBytes, web.searchHeaders, web.googleEngineId, downloads.enabled],
        ...[image.size, memory],
      ],
      [
        ...[["localhost", "127.0.0.1:8080"], 20_000, { token: "{key}" }, "12345", true, "64x64"],
        { enabled: true, recallCount: 10, maxTokens: 1500, queryMessages: 5, summarise: true },
      ],
    );
  });

  it("are refused when they are none, or of another type", () => {
    assert.deepEqual(
      [
        problem("web.alowHosts=x"),
        problem("web.allowHosts"),
        problem("web.maxBytes=many"),
        problem("web.searchHeaders=null"),
        problem("downloads.enabled=yes"),
        problem('web.allowHosts=["a"]'),
      ],
      [
        '--set knows no "web.alowHosts"',
        '--set takes NAME=VALUE, like web.allowHosts=localhost, not "web.allowHosts".',
        '--set web.maxBytes takes a value of type number, not "many".',
        '--set web.searchHeaders takes a value of type object, not "null".',
        '--set downloads.enabled takes a value of type boolean, not "yes".',
        "none",
      ],
    );
  });
});
