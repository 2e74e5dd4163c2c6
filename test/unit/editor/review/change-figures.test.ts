import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { describeChangeFigures } from "../../../../src/core/commands/call-title.ts";
import type { ApprovalRequest } from "../../../../src/core/ports/approver.ts";
import { followFigures, measureChangeSize, type NewFigures } from "../../../../src/editor/review/change-figures.ts";
import type { OpenRuns, ProposalDiffs } from "../../../../src/editor/review/pending-decisions.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

const BEFORE = "one\ntwo\nthree\nfour\nfive\n";
const PROPOSED = "ONE\ntwo\nthree\nFOUR\nextra\nfive\n";

const figures = (edited?: string) => measureChangeSize({ before: BEFORE, proposed: PROPOSED, edited });

describe("the figures of a proposed change", () => {
  it("count what would be written, and the hunks that the user dropped", () => {
    assert.deepEqual(
      {
        proposed: figures(),
        dropped: figures("one\ntwo\nthree\nFOUR\nextra\nfive\n"),
        typed: figures("ONE\ntwo\nthree\nFOUR\nextra, typed\nfive\nsix\n"),
        nothing: figures(BEFORE),
        created: measureChangeSize({ proposed: "a\nb\n" }),
      },
      {
        proposed: { added: 3, removed: 2, hunks: 2, dropped: 0, edited: false },
        dropped: { added: 2, removed: 1, hunks: 1, dropped: 1, edited: true },
        typed: { added: 4, removed: 2, hunks: 3, dropped: 0, edited: true },
        nothing: { added: 0, removed: 0, hunks: 0, dropped: 2, edited: true },
        created: { added: 2, removed: 0, hunks: 1, dropped: 0, edited: false },
      },
    );
  });

  it("are reported in words that say what an edit did", () => {
    const dropped = figures("one\ntwo\nthree\nFOUR\nextra\nfive\n");
    const words = [
      describeChangeFigures(dropped, figures()),
      describeChangeFigures(figures("ONE!\ntwo\nthree\nFOUR\nextra\nfive\n"), figures()),
      describeChangeFigures(figures(BEFORE), dropped),
      describeChangeFigures(figures(), dropped),
    ];
    assert.deepEqual(words.map(writeInEnglish), [
      "1 change dropped. The proposal is now +2 −1.",
      "You edited the proposal. It's now +3 −2.",
      "All changes dropped. Approving leaves the file as it is.",
      "The proposal is as the agent made it again: +3 −2.",
    ]);
  });
});

describe("following the edits of a proposed change", () => {
  it("reports each new size once, and nothing for a proposal that was not touched", async () => {
    let edited: string | undefined;
    let changed = (): void => undefined;
    const request = { step: 1, prepared: { preview: { kind: "change", before: BEFORE, after: PROPOSED } } };
    const waiting = { id: "run", live: { pending: { kind: "proposal", request } } };
    const runs = { all: [waiting] } as unknown as OpenRuns;
    const diff = {
      findAcceptedText: () => edited,
      onDidChange: (listener: () => void) => {
        changed = listener;
        return { dispose: () => undefined };
      },
    } as unknown as ProposalDiffs;
    const news: NewFigures[] = [];
    const following = followFigures({ runs, diff }, (one) => news.push(one));
    const texts = [undefined, "ONE\ntwo\nthree\nfour\nfive\n", "ONE\ntwo\nthree\nfour\nfive\n", undefined];
    for (const text of texts) {
      edited = text;
      changed();
      await setTimeout(200);
    }
    following.dispose();

    assert.deepEqual(
      news.map((one) => [one.run, one.request === (request as unknown as ApprovalRequest), one.figures]),
      [
        ["run", true, { added: 1, removed: 1, hunks: 1, dropped: 1, edited: true }],
        ["run", true, { added: 3, removed: 2, hunks: 2, dropped: 0, edited: false }],
      ],
    );
  });
});
