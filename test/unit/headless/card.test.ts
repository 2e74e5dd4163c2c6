import assert from "node:assert/strict";
import { createPreparedCall, type Preview } from "../../../src/core/commands/command.ts";
import type { ApprovalReason } from "../../../src/core/ports/approver.ts";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import { renderApprovalCard } from "../../../src/headless/display.ts";
import { displayText } from "../../../src/texts/display-text.ts";

function card(preview: Preview, why?: ApprovalReason): string {
  const proposal = { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "do_it", args: {} } } as const;
  const call = { ...createPreparedCall("write", "", async () => ({ status: "done", output: "" })), preview };
  return renderApprovalCard({ step: 3, proposal, prepared: call, hash: "h", ...(why ? { why } : {}) });
}

describe("a proposal on a terminal", () => {
  it("shows all that it would do, hidden characters included", () => {
    assert.equal(
      card({ kind: "details", text: "rm -rf \u202ebuild\nand more" }),
      "── Step 3 wants to run do_it ──\nrm -rf ⟨U+202E⟩build\nand more",
    );
  });

  it("shows a change as a diff", () => {
    const text = card({
      kind: "change",
      file: "a.txt",
      target: "/w/a.txt",
      before: "one\ntwo\n",
      after: "one\n2\n",
    });
    assert.match(text, /^Change of a\.txt:$[\s\S]+^-two$\n^\+2$/m);
  });

  it("shows a new file with all of its lines", () => {
    assert.match(
      card({ kind: "change", file: "a.txt", target: "/w/a.txt", after: "one\n" }),
      /^New file a\.txt:$[\s\S]+^\+one$/m,
    );
  });

  it("shows the whole new text where next to nothing is left of the old one, for comparing them takes for ever", () => {
    const lines = (word: string): string => Array.from({ length: 30_000 }, (_, at) => `${word} ${at}\n`).join("");
    const [before, after] = [lines("old"), lines("new")];
    const text = card({ kind: "change", file: "a.txt", target: "/w/a.txt", before, after });
    assert.deepEqual(
      [text.split("\n").slice(1, 3), text.split("\n").length],
      [["Change of a.txt, of which nearly all lines are new:", "+new 0"], 30_002],
    );
  });

  it("says why it is asked, and what may have talked the agent into it", () => {
    const why: ApprovalReason = {
      rule: "writes",
      reason: "It changes a file.",
      sensitive: false,
      sources: [{ kind: "web", name: "a.example" }],
      influence: displayText("safety.readFrom.web", { name: "a.example", day: displayText("safety.today") }),
    };
    assert.equal(
      card({ kind: "details", text: "x" }, why),
      "── Step 3 wants to run do_it ──\nx\nAsked because: It changes a file.\nThe agent has read text from a page: a.example, today.",
    );
  });
});
