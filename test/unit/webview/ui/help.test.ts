import assert from "node:assert/strict";
import { openAiModel } from "../../../../src/models/providers/openai.ts";
import { listRemedies, type Remedy } from "../../../../src/webview/ui/buttons.ts";
import { trouble } from "../../../support/completing.ts";
import { fakeModelServer, refusal, serverForSuite } from "../../../support/fake-model-server.ts";

const names = (helps: readonly Remedy[]): readonly string[] =>
  helps.map((help) => (help.kind === "action" ? help.action : help.setting));

describe("the buttons of a card about trouble", () => {
  const server = serverForSuite();
  const messageOf = async (baseUrl: string): Promise<string> =>
    (await trouble(openAiModel({ baseUrl, apiKey: "wrong", model: "m", contextWindow: 8_000, timeoutSeconds: 60 })))
      .message;

  it("begin with the key where the server rejects it", async () => {
    server().plan(refusal(401, "Incorrect API key provided."));
    const message = await messageOf(server().baseUrl);
    assert.deepEqual(names(listRemedies(message, ["continue", "selectModel", "setApiKey"])), [
      "setApiKey",
      "continue",
      "selectModel",
    ]);
  });

  it("have a way to another server where none answers", async () => {
    const dead = await fakeModelServer();
    await dead.close();
    assert.deepEqual(names(listRemedies(await messageOf(dead.baseUrl), ["continue", "selectModel", "setApiKey"])), [
      "continue",
      "useServer",
      "selectModel",
      "setApiKey",
    ]);
  });

  it("open the setting that is named", () => {
    const message = "HOST sent nothing for 120 seconds. Give it more time in autogpt.model.timeoutSeconds.";
    assert.deepEqual(names(listRemedies(message, ["continue"])), ["continue", "autogpt.model.timeoutSeconds"]);
  });

  it("stay the same if nothing is named", () => {
    assert.deepEqual(names(listRemedies("The log can't be written.", ["continue", "newRun"])), ["continue", "newRun"]);
  });
});
