import assert from "node:assert/strict";
import {
  describeModelSource,
  explainSourceState,
  formatSourceLabel,
  listSourceSteps,
  type SourceState,
} from "../../../../src/core/ports/model-source.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

/** Each state with words of its sentence, of its label and of its explanation, and the first step that helps. */
const STATES: readonly (readonly [SourceState, sentence: string, label: string, why: string, step: string])[] = [
  [{ kind: "connected", models: 0 }, "no models", "0 models", "", "selectModel"],
  [{ kind: "connected", models: 2 }, "2 models", "2 models", "", "selectModel"],
  [{ kind: "unlisted", status: 404 }, "404", "", "404", "selectModel"],
  [{ kind: "noKey" }, "needs an API key", "No API key", "", "setApiKey"],
  [{ kind: "brokenKey" }, "key", "", "key", "setApiKey"],
  [{ kind: "rejected", status: 401, said: "Wrong." }, "Wrong.", "401", "Wrong.", "setApiKey"],
  [{ kind: "rejected", status: 401, said: "" }, "401", "401", "", "setApiKey"],
  [{ kind: "unreachable", why: "refused" }, "host.example", "host.example", "", "useServer"],
  [{ kind: "silent", seconds: 5 }, "5 seconds", "5", "5", "selectModel"],
  [{ kind: "failed", status: 429, said: "" }, "limit", "Limit reached (429)", "", "selectModel"],
  [{ kind: "failed", status: 500, said: "" }, "500", "Server error (500)", "", "selectModel"],
  [{ kind: "moved", to: "" }, "host.example", "", "host.example", "useServer"],
  [{ kind: "moved", to: "https://other.example" }, "https://other.example", "", "other.example", "useServer"],
  [{ kind: "noApi" }, "host.example", "", "host.example", "useServer"],
  [{ kind: "badAddress" }, "address", "", "address", "useServer"],
  [{ kind: "incomplete", setting: "autogpt.azure.baseUrl" }, "autogpt.azure.baseUrl", "", "azure", "openSettings"],
  [{ kind: "noChatModels" }, "models", "", "", "selectModel"],
];

describe("a source of models", () => {
  for (const [state, sentence, label, why, step] of STATES)
    it(`has a sentence, a label and a step that helps: ${JSON.stringify(state)}`, () => {
      const source = { name: "host.example", state };
      const explained = explainSourceState(source);
      const texts = [
        writeInEnglish(describeModelSource(source)),
        writeInEnglish(formatSourceLabel(source)),
        explained === undefined ? "" : writeInEnglish(explained),
      ];
      const parts = [sentence, label, why];
      assert.deepEqual(
        { lacking: parts.filter((part, index) => !texts[index]?.includes(part)), step: listSourceSteps(source)[0] },
        { lacking: [], step },
      );
    });
});
