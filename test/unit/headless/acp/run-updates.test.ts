import assert from "node:assert/strict";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { RunUpdates } from "../../../../src/headless/acp/run-updates.ts";
import { createTextContent, getToolKind } from "../../../../src/headless/acp/tool-calls.ts";
import { COMMAND_ROWS } from "../../../../src/schema/command-rows.ts";
import { joinChunks } from "../../../support/acp-clients.ts";

describe("what an editor shows of a run", () => {
  it("has no picture of a thought's Markdown, even if its beginning comes in two pieces", () => {
    const sent: SessionUpdate[] = [];
    const updates = new RunUpdates({ id: "run", folder: "/shop" }, (update) => sent.push(update));
    for (const text of ["Hm! See !", "[x](https://evil.example/?q=1) and ![y](z)", "!", " Done."])
      updates.showDelta({ kind: "reasoning", text });
    assert.equal(
      joinChunks(sent, "agent_thought_chunk"),
      "Hm! See !\\[x](https://evil.example/?q=1) and !\\[y](z)! Done.",
    );
  });

  it("keeps a text with marks of code in its block", () => {
    const { content } = createTextContent("a\n````\nb") as { content: { text: string } };
    assert.equal(content.text, "`````\na\n````\nb\n`````");
  });

  it("shows each command by the kind of its call", () => {
    const kinds = Map.groupBy(Object.keys(COMMAND_ROWS), (name) => getToolKind({ name }));
    assert.deepEqual(
      {
        edit: kinds.get("edit"),
        move: kinds.get("move"),
        delete: kinds.get("delete"),
        fetch: kinds.get("fetch"),
        execute: kinds.get("execute"),
      },
      {
        edit: ["write_to_file", "append_to_file", "edit_file"],
        move: ["move_file"],
        delete: ["delete_file"],
        fetch: ["web_search", "browse_website", "get_text_summary", "get_hyperlinks", "call_api", "download_file"],
        execute: [
          ...["run_tests", "run_task", "execute_python_file", "execute_python_code", "run_cell"],
          ...["execute_shell", "execute_shell_popen"],
        ],
      },
    );
  });
});
