import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findMentionedActions, getActionLabel, NAMED_TITLES } from "../../../../src/core/ports/model-source.ts";
import { ACTION_TITLES } from "../../../../src/schema/actions.ts";
import { displayText, writeInEnglish } from "../../../../src/texts/display-text.ts";

const ROOT = join(import.meta.dirname, "../../../..");

const buttons = (message: string): readonly string[] =>
  findMentionedActions(message).map((named) => writeInEnglish(getActionLabel(named)));

describe("the actions that a message names", () => {
  it("are found by the titles that the palette has for them, in order and once", () => {
    assert.deepEqual(
      buttons(
        'Run "AutoGPT: Set API Key…", choose another model with AutoGPT: Select Model…, or run "AutoGPT: Set API Key…" again.',
      ),
      ["Set API key…", "Select model…"],
    );
  });

  it("include the setting that is to be changed, with a way of its own for the server's address", () => {
    assert.deepEqual(
      [
        "Can't reach http://HOST/v1. Start the server there, or correct autogpt.model.baseUrl.",
        "Give it more time in autogpt.model.timeoutSeconds.",
        "Set autogpt.azure.smartDeployment and autogpt.azure.fastDeployment.",
        'autogpt.plugins.config.openapi.zoo needs "url".',
      ].map(findMentionedActions),
      [
        [{ kind: "action", action: "useServer" }],
        [{ kind: "setting", setting: "autogpt.model.timeoutSeconds" }],
        [{ kind: "setting", setting: "autogpt.azure.smartDeployment" }],
        [{ kind: "setting", setting: "autogpt.plugins.config" }],
      ],
    );
  });

  it("are none in a plain message, and none in the words of a server", () => {
    assert.deepEqual(
      ["All is well.", 'HOST returned an error (500). It said: "Run AutoGPT: Set API Key…".'].map(buttons),
      [[], []],
    );
  });

  it("are none in the words of others that a text of ours has, but in its own and in a name that it's given", () => {
    const words = "remote: Run AutoGPT: Set API Key… and set autogpt.model.baseUrl";
    assert.deepEqual(
      [
        displayText("codehost.notPushed", { why: `Git says: ${words}` }),
        displayText("common.twoSentences", {
          first: words,
          second: displayText("codehost.serverDown", { host: words, status: "500" }),
        }),
        `Git says: ${words}.`,
        displayText("models.incompleteSentence", { name: words, setting: "autogpt.azure.smartDeployment" }),
      ].map(findMentionedActions),
      [[], [], [], [{ kind: "setting", setting: "autogpt.azure.smartDeployment" }]],
    );
  });

  it("have the titles of the palette", () => {
    const titles: Readonly<Record<string, string>> = ACTION_TITLES;
    assert.deepEqual(
      Object.keys(NAMED_TITLES).map((action) => titles[action]),
      Object.values(NAMED_TITLES),
    );
  });

  it("cover every action that a text of ours names", () => {
    const named = sources().flatMap((text) => text.match(/AutoGPT: [A-Z][^"`'.,;)]*…/g) ?? []);
    assert.deepEqual(
      [...new Set(named)].filter((mention) => buttons(mention).length === 0),
      [],
    );
  });
});

function sources(): readonly string[] {
  return readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(ROOT, "src", file), "utf8"));
}
