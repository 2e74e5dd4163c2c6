import assert from "node:assert/strict";
import { chooseModels } from "../../../src/headless/models.ts";
import { readOptions } from "../../../src/headless/options.ts";
import { json, serverForSuite } from "../../support/fake-model-server.ts";

const server = serverForSuite();
const NEVER = new AbortController().signal;

async function chosen(...argv: readonly string[]): Promise<readonly string[]> {
  const options = readOptions(["--task", "t", "--workspace", "/w", ...argv], {
    OPENAI_API_KEY: "a-test-key",
  });
  if (options === "help") throw new Error("No test asks for help here.");
  const { smart, fast } = await chooseModels(options, NEVER);
  return [smart.name, fast.name];
}

describe("the models of a run without an editor", () => {
  it("are OpenAI's usual ones when nothing is said", async () =>
    assert.deepEqual(await chosen(), ["gpt-5", "gpt-5-mini"]));

  it("are the one that is named, for everything", async () =>
    assert.deepEqual(await chosen("--model", "m"), ["m", "m"]));

  it("are the two that are named", async () =>
    assert.deepEqual(await chosen("--model", "m", "--fast-model", "f"), ["m", "f"]));

  it("are the first that another server offers", async () => {
    server().plan(
      json(200, {
        object: "list",
        data: [
          { id: "b", object: "model" },
          { id: "a", object: "model" },
        ],
      }),
    );
    assert.deepEqual(await chosen("--base-url", server().baseUrl), ["a", "a"]);
  });

  it("are none when another server offers none", async () => {
    server().plan(json(200, { object: "list", data: [] }));
    await assert.rejects(
      chosen("--base-url", server().baseUrl),
      /offers no model\. Name one with --model\.$/,
    );
  });
});
