import assert from "node:assert/strict";
import {
  CARD_HANDLERS,
  type CardHandlerDependencies,
  pressCardButton,
} from "../../../../src/editor/review/card-handlers.ts";
import type { OpenRuns } from "../../../../src/editor/review/pending-decisions.ts";
import { findPendingProposal, PendingDecisions } from "../../../../src/editor/review/pending-decisions.ts";
import type { ComposedRun } from "../../../../src/runtime/composed-run.ts";
import { Grants } from "../../../../src/safety/policy/grants.ts";
import {
  CARD_BUTTON_NAMES,
  type CardButton,
  getCardButtonRow,
  listCardButtons,
} from "../../../../src/schema/card-buttons.ts";
import type { Card } from "../../../../src/schema/panel-values.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearsal } from "../../../support/rehearsal.ts";

/** A run whose first proposal is pending and was seen, with the calls that its card's buttons make. */
async function pendingRun() {
  const answers = ["a", "b", "c"].map((title) => says("read_note", { title }));
  const { live, run, log } = await rehearsal({ answers, approver: "user" });
  const appeared = new Promise<void>((resolve) => live.onPending(resolve));
  live.resume();
  await appeared;
  const hosted: ComposedRun = {
    past: [],
    id: run.state.id,
    run,
    live,
    grants: new Grants(),
    home: "",
    folder: "",
    dispose: async () => {},
  };
  const pending = findPendingProposal(hosted);
  assert.ok(pending);
  const calls: string[] = [];
  const diff: Partial<CardHandlerDependencies["diff"]> = {
    findActiveProposal: () => undefined,
    findAcceptedText: () => undefined,
    onDidChange: () => ({ dispose: () => undefined }),
    reveal: async (_run, step) => void calls.push(`diff ${step}`),
  };
  const runs: Partial<OpenRuns> = { onChange: () => ({ dispose: () => undefined }) };
  const waits = new PendingDecisions(runs as OpenRuns, diff as CardHandlerDependencies["diff"]);
  waits.markSeen(pending, "card");
  const parts = {
    waits,
    diff: diff as CardHandlerDependencies["diff"],
    documents: { show: async (title: string) => calls.push(`text ${title}`) > 0 },
    criticise: async () => void calls.push("criticise"),
  } as unknown as CardHandlerDependencies;
  const decided = () => log.events.flatMap((event) => (event.type === "decided" ? [event.allow] : []));
  return { parts, hosted, request: pending.request, live, calls, decided };
}

async function press(button: CardButton, input = {}) {
  const { parts, hosted, request, live, calls, decided } = await pendingRun();
  await pressCardButton(parts, hosted, { button, step: request.step, hash: request.hash, ...input });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const result = { calls, decided: decided(), granted: hosted.grants?.left };
  await live.stop();
  return result;
}

describe("a button of the card", () => {
  it("decides on the proposal as its name says", async () => {
    const pressed = {
      approve: await press("approve"),
      approveNext: await press("approveNext", { count: 3 }),
      refuse: await press("refuse", { feedback: "Use yarn." }),
      editArguments: await press("editArguments", { args: { title: "b" } }),
    };

    assert.deepEqual(
      Object.entries(pressed).map(([name, { decided, granted }]) => ({ name, decided, granted })),
      [
        { name: "approve", decided: [true], granted: 0 },
        { name: "approveNext", decided: [true], granted: 3 },
        { name: "refuse", decided: [false], granted: 0 },
        { name: "editArguments", decided: [true], granted: 0 },
      ],
    );
  });

  it("saves the files that the program would read, and only then approves", async () => {
    const files = {
      listUnsavedBelow: (folders: readonly string[]) => folders.map((folder) => `${folder}/a.ts`),
      saveAsIs: async (path: string) => void saved.push(path),
    };
    const saved: string[] = [];
    const { parts, hosted, request, live, decided } = await pendingRun();
    const { prepared } = request;
    const run = { ...hosted, policy: { listFolders: () => ["/work", "/lib"] } } as unknown as ComposedRun;
    const pressing = (effect: "run" | "read", failing = false) =>
      CARD_HANDLERS.saveAndApprove(
        {
          ...parts,
          files: {
            ...files,
            ...(failing ? { saveAsIs: () => Promise.reject(new Error("a.ts couldn't be saved.")) } : {}),
          },
        } as unknown as CardHandlerDependencies,
        { hosted: run, live, request: Object.assign(request, { prepared: { ...prepared, effect } }) },
        {},
      ).then(
        () => "approved",
        (error: Error) => error.message,
      );

    const failed = await pressing("run", true);
    const before = decided();
    const done = await pressing("run");
    await new Promise((resolve) => setTimeout(resolve, 20));
    await live.stop();

    assert.deepEqual(
      { failed, before, done, saved, decided: decided() },
      {
        failed: "a.ts couldn't be saved.",
        before: [],
        done: "approved",
        saved: ["/work/a.ts", "/lib/a.ts"],
        decided: [true],
      },
    );
  });

  it("that shows something decides nothing", async () => {
    const pressed = {
      review: await press("review"),
      criticise: await press("criticise"),
      openWhole: await press("openWhole"),
    };

    assert.deepEqual(
      Object.values(pressed).map(({ calls, decided }) => ({ calls, decided })),
      [
        { calls: ["diff 1"], decided: [] },
        { calls: ["criticise"], decided: [] },
        { calls: ["text Step 1: read_note"], decided: [] },
      ],
    );
  });

  it("does nothing for a proposal that is no longer the pending one", async () => {
    const { parts, hosted, request, live, calls, decided } = await pendingRun();
    const problems = await Promise.all(
      CARD_BUTTON_NAMES.map((button) =>
        pressCardButton(parts, hosted, { button, step: request.step, hash: "of another" }).then(
          () => button,
          () => undefined,
        ),
      ),
    );
    const left = live.pending?.kind;
    await live.stop();

    assert.deepEqual(
      { done: problems.filter((name) => name !== undefined), calls, decided: decided(), left },
      { done: [], calls: [], decided: [], left: "proposal" },
    );
  });

  it("has an effect, whichever it is", () => {
    assert.deepEqual(Object.keys(CARD_HANDLERS).toSorted(), CARD_BUTTON_NAMES.toSorted());
  });
});

describe("the buttons that a card shows", () => {
  const CARD: Card = {
    step: 1,
    hash: "h",
    command: "execute_shell",
    text: "ls",
    preview: "details",
    rule: "shell",
    reason: "It runs a program.",
    sources: [],
    sensitive: false,
  };
  const at = (card: Partial<Card>) => {
    const whole = { ...CARD, ...card };
    return (["row", "approve", "more", "card"] as const).map((place) => listCardButtons(whole, place).join(" "));
  };

  it("fit the proposal", () => {
    assert.deepEqual(
      {
        plain: at({}),
        full: at({ args: {}, teaches: "ls" }),
        change: at({ preview: "change" }),
        sensitive: at({ sensitive: true }),
        unsaved: at({ unsaved: true, preview: "change" }),
        notebook: at({ unsaved: true, preview: "change", file: "a.ipynb" }),
        unsavedFiles: at({ unsavedFiles: ["a.ts"] }),
      },
      {
        plain: ["approve refuse", "approveNext", "criticise openWhole", ""],
        full: ["approve refuse", "approveNext alwaysAllow", "editArguments criticise openWhole", ""],
        change: ["approve refuse", "approveNext", "criticise openWhole", "review"],
        sensitive: ["approve refuse", "", "criticise openWhole", ""],
        unsaved: ["approve refuse", "approveNext", "criticise openWhole", "review saveAndReviewAgain"],
        notebook: ["approve refuse", "approveNext", "criticise openWhole", "review"],
        unsavedFiles: ["saveAndApprove refuse", "approve approveNext", "criticise openWhole", ""],
      },
    );
  });

  it("can be pressed only once everything was seen, if they execute what was proposed", () => {
    assert.deepEqual(
      CARD_BUTTON_NAMES.filter((name) => getCardButtonRow(name).needs === "seen"),
      ["saveAndApprove", "approve", "approveNext", "alwaysAllow"],
    );
  });
});
