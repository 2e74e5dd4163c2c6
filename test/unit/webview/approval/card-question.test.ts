import assert from "node:assert/strict";
import type { Card } from "../../../../src/schema/panel-values.ts";
import { renderCardQuestion } from "../../../../src/webview/approval/card-question.ts";

function asked(command: string, args: Card["args"]): string {
  const card: Card = {
    step: 1,
    hash: "h",
    command,
    text: "",
    ...(args ? { args } : {}),
    preview: "details",
    rule: "run",
    reason: "It runs a program.",
    sources: [],
    sensitive: false,
  };
  return renderCardQuestion(card, (value) => `<${value}>`).join("");
}

describe("the question on a card", () => {
  it("is a verb with its object, and names a command only where it must", () => {
    assert.deepEqual(
      [
        asked("read_file", { filename: ".env" }),
        asked("stop_process", { process: "3" }),
        asked("stop_process", { process: "3\u202e" }),
        asked("stop_process", undefined),
        asked("mcp_weather", { city: "Bern" }),
      ],
      ["Read <.env>?", "Stop process 3?", "Use <stop_process>?", "Use <stop_process>?", "Use <mcp_weather>?"],
    );

    it("names a tool that is called like a member of every object", () => {
      const names = ["constructor", "toString", "__proto__"];
      assert.deepEqual(
        names.map((name) => asked(name, {})),
        names.map((name) => `Use <${name}>?`),
      );
    });
  });

  it("names a tool that is called like a member of every object", () => {
    const names = ["constructor", "toString", "__proto__"];
    assert.deepEqual(
      names.map((name) => asked(name, {})),
      names.map((name) => `Use <${name}>?`),
    );
  });
});
