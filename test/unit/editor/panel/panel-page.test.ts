import assert from "node:assert/strict";
import { TextOffers } from "../../../../src/editor/panel/draft-link.ts";
import type { HostedRun } from "../../../../src/editor/panel/hosted-runs.ts";
import { type PageDependencies, PanelPage } from "../../../../src/editor/panel/panel-page.ts";
import { SideEvents } from "../../../../src/editor/panel/side-events.ts";
import type { Undo } from "../../../../src/runs/undo/undo.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import type { PanelRequest } from "../../../../src/schema/panel-messages.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";

type Posted = { readonly type: string } & Readonly<Record<string, unknown>>;

interface Opening {
  readonly restored?: PageDependencies["waitUntilRestored"];
  readonly welcome?: PageDependencies["buildWelcome"];
  /** The stored events of the shown run. */
  readonly events?: readonly AgentEvent[];
  /** Real paths of files whose edits aren't saved. */
  readonly unsaved?: readonly string[];
  /** Warnings about the shown run from before; a closed one is noted here. */
  readonly warnings?: string[];
  /** Texts that wait for the visible page. */
  readonly offers?: TextOffers;
}

/** A page of the panel with a webview that only listens. `ready` is what the webview says once it is loaded. */
function openedPage(
  runs: { shown?: HostedRun; shownStep?: number },
  {
    restored = async () => undefined,
    welcome = async () => ({ hasKey: true, models: [] }),
    events = [],
    unsaved = [],
    warnings = [],
    offers,
  }: Opening = {},
) {
  const posted: Posted[] = [];
  let reads = 0;
  let receive: ((message: unknown) => void) | undefined;
  const parts: Partial<PageDependencies> = {
    runs: Object.assign(runs, {
      ...{ get: () => undefined, all: [], listWarnings: () => warnings.splice(0) },
      closeWarnings: (id: string) => warnings.push(`closed: ${id}`),
    }) as unknown as PageDependencies["runs"],
    waitUntilRestored: restored,
    buildWelcome: welcome,
    hasSpeech: () => false,
    listUnsavedFiles: () => unsaved,
    loadEvents: async () => {
      reads++;
      return events;
    },
    findNextAgents: async () => [],
    findSandbox: () => undefined,
  };
  const webview = {
    postMessage: async (message: Posted) => posted.push(message) > 0,
    onDidReceiveMessage: (listener: (message: unknown) => void) => {
      receive = listener;
      return { dispose: () => undefined };
    },
  };
  const ears = {
    focus: () => undefined,
    isVisible: () => offers !== undefined,
    draft: () => undefined,
    takeOffers: (showsRun: boolean) => offers?.take(showsRun) ?? [],
  };
  const page = new PanelPage(parts as PageDependencies, webview as never, ears);
  return {
    page,
    posted,
    reads: () => reads,
    types: () => posted.map(({ type }) => type),
    ready: () => receive?.({ type: "ready" }),
    send: (message: PanelRequest) => receive?.(message),
  };
}

async function finishedRun(undo?: Partial<Undo>): Promise<HostedRun> {
  const { live, run } = await rehearse({ answers: [says("task_complete", { title: "Done." })] });
  return {
    ...{ id: run.state.id, run, live, home: "", folder: "", sideEvents: new SideEvents(), past: [] },
    ...(undo ? { undo: undo as Undo } : {}),
    dispose: async () => {},
  };
}

/** Long enough for a page that lets other messages pass. */
const turn = async () => {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve));
};

describe("a page of the panel", () => {
  it("gets nothing before it is known whether a run was interrupted, and then that run, never the start page", async () => {
    const runs: { shown?: HostedRun } = {};
    const looked = Promise.withResolvers<void>();
    const { types, ready } = openedPage(runs, { restored: () => looked.promise });
    ready();
    await turn();
    const before = types();
    runs.shown = await finishedRun();
    looked.resolve();
    await turn();
    assert.deepEqual(
      { before, first: types()[0], startPage: types().includes("welcome") },
      { before: [], first: "snapshot", startPage: false },
    );
  });

  it("isn't covered by a start page that was asked for before its run started", async () => {
    const runs: { shown?: HostedRun } = {};
    const looked = Promise.withResolvers<void>();
    const welcome = () => looked.promise.then(() => ({ hasKey: true, models: [] }));
    const { page, types, ready } = openedPage(runs, { welcome });
    ready();
    await turn();
    runs.shown = await finishedRun();
    page.handleRunSwitch();
    await turn();
    looked.resolve();
    await turn();
    assert.deepEqual([types()[0], types().includes("welcome")], ["snapshot", false]);
  });

  it("puts a text for a new run into no other run's text box, however late it's ready", async () => {
    const runs: { shown?: HostedRun } = { shown: await finishedRun() };
    const offers = new TextOffers();
    const { page, posted, ready } = openedPage(runs, { offers });
    offers.add({ text: "from a link" }, "new");
    offers.add({ text: "from the terminal" }, "shown");
    const list = () => posted.flatMap(({ type, text }) => (type === "offered" ? [text] : []));
    ready();
    await turn();
    const inRun = list();
    delete runs.shown;
    page.handleRunSwitch();
    await turn();
    assert.deepEqual(
      { inRun, atLast: list() },
      { inRun: ["from the terminal"], atLast: ["from the terminal", "from a link"] },
    );
  });

  it("shows a run that was opened at a step as it was after that step", async () => {
    const answers = [says("read_note", { title: "a" }), says("task_complete", { title: "Done." })];
    const { run, log } = await rehearse({ answers });
    const shown = { ...(await finishedRun()), id: run.state.id, run };
    const { posted, ready } = openedPage({ shown, shownStep: 1 }, { events: log.events });
    ready();
    await turn();
    const steps = posted.flatMap(({ type, steps }) => (type === "page" && Array.isArray(steps) ? steps : []));
    assert.deepEqual(
      { at: posted[0]?.at, steps: steps.map(({ step }) => step) },
      { at: { step: 1, of: 2, changes: [] }, steps: [1] },
    );
  });

  it("reads a run once while the user steps through it, and shows the last of several steps requested at once", async () => {
    const answers = [says("read_note", { title: "a" }), says("task_complete", { title: "Done." })];
    const { run, log } = await rehearse({ answers });
    const shown = { ...(await finishedRun()), id: run.state.id, run };
    const { posted, ready, send, reads } = openedPage({ shown, shownStep: 0 }, { events: log.events });
    ready();
    await turn();
    for (const step of [1, 0, 1, 2]) send({ type: "stepThrough", step });
    await turn();
    const at = posted.flatMap(({ type, at }) => (type === "snapshot" ? [at] : []));
    assert.deepEqual({ at, reads: reads() }, { at: [0, 2].map((step) => ({ step, of: 2, changes: [] })), reads: 1 });
  });

  it("shows the warnings that came while no page was open, and has them closed", async () => {
    const shown = await finishedRun();
    const warnings = ["No tools."];
    const { posted, ready, send } = openedPage({ shown }, { warnings });
    ready();
    await turn();
    send({ type: "closeWarnings", run: shown.id });
    await turn();
    assert.deepEqual(
      [posted.filter(({ type }) => type === "notice"), warnings],
      [[{ type: "notice", kind: "warning", text: "No tools." }], [`closed: ${shown.id}`]],
    );
  });

  it("names the files whose edits aren't saved, and does so again when that changes", async () => {
    const shown = { shown: await finishedRun() };
    const unsaved = ["/work/a.ts"];
    const { page, posted, ready } = openedPage(shown, { unsaved });
    ready();
    await turn();
    unsaved.pop();
    page.announceUnsaved();
    assert.deepEqual(
      posted.flatMap(({ type, paths }) => (type === "unsavedFiles" ? [paths] : [])),
      [["/work/a.ts"], []],
    );
  });

  it("counts the files that a run has changed, and no folders, and reports that others can be redone", async () => {
    const files = ["src/", "src/new.ts", "README.md"].map((file) => ({ path: `/work/${file}`, file }));
    const run = await finishedRun({
      listUndoableSteps: async () => [{ step: 1, files }],
      canRedo: async () => true,
    });
    const { posted, ready } = openedPage({ shown: run });
    ready();
    await turn();
    const changes = posted.find(({ type }) => type === "changes");
    assert.deepEqual(
      { files: changes?.files, count: changes?.count, redoable: changes?.redoable },
      { files: ["src/new.ts", "README.md"], count: 2, redoable: true },
    );
  });

  it("shows the events of its own run alone, and none while it looks at an earlier step", async () => {
    const run = await finishedRun();
    const other = await finishedRun();
    const shown = { shown: run };
    const { page, types, ready, posted } = openedPage(shown);
    ready();
    await turn();
    posted.length = 0;
    const event = { seq: 9, at: "", type: "said", text: "a", by: "user" } as const;

    page.sendEvent("another run", event);
    page.sendDelta("another run", 1, { kind: "text", text: "{}" });
    page.sendOutput("another run", 1, "text");
    page.notice("another run", "text", "info");
    page.announceWaiting({ ...other, id: "another run" });
    page.announceSeen("another run", "hash");
    const ofOther = types();
    page.sendEvent(run.id, event);
    const ofOwn = types();
    posted.length = 0;
    Object.assign(shown, { shownStep: 1 });
    page.handleRunSwitch();
    await turn();
    posted.length = 0;
    page.sendEvent(run.id, event);

    assert.deepEqual(
      { ofOther, ofOwn, whileInThePast: types() },
      { ofOther: [], ofOwn: ["event"], whileInThePast: [] },
    );
  });
});
