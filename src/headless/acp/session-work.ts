import { PassThrough, Writable } from "node:stream";
import type { PermissionOption, SessionUpdate, StopReason, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { cutText } from "../../core/base/text.ts";
import { findExhaustedLimit } from "../../core/budget/budget.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import { describeRunEnd } from "../../core/events/end-text.ts";
import { checkPictures, keepPictures } from "../../runs/store/run-pictures.ts";
import { openRun } from "../../runtime/compose-run.ts";
import type { ComposedRun, LiveComposedRun } from "../../runtime/composed-run.ts";
import { readOwnCommands } from "../../runtime/instructions/own-commands.ts";
import { findOwnFilePlaces } from "../../runtime/instructions/run-instructions.ts";
import { agreeToPlan, changeLimits, formatLimit } from "../../runtime/run-control.ts";
import { demandSight } from "../../runtime/run-pictures.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import { LIMIT_SETTINGS } from "../display.ts";
import type { RunOptions } from "../options.ts";
import { addResources, startContinuous, startRun } from "../run-headless.ts";
import { runWithSession, type Session, type Surroundings } from "../session.ts";
import type { AgentsRequests } from "./agents-requests.ts";
import { reviewInEditor } from "./copy-review.ts";
import type { EditorPrompt } from "./prompt-blocks.ts";
import { RunUpdates } from "./run-updates.ts";

/** Titles of sessions are cut to this. */
export const LONGEST_TITLE = 80;

/** How a session works, by the names that editors show. */
export type SessionMode = "ask" | "plan" | "isolated";

/** A host that is open until the signal of its surroundings aborts. */
export interface OpenSession extends Session {
  /** Printed lines while they are collected; else they are dropped, as the editor is shown the events. */
  readonly printed: { lines?: string[] };
  readonly closed: Promise<void>;
}

/** Opens the host of a session, whose person is at the editor. Throws a sentence if it can't be opened. */
export async function openSession(
  options: RunOptions,
  around: Surroundings,
  { person, log }: Pick<AgentsRequests, "person" | "log">,
): Promise<OpenSession> {
  const ready = Promise.withResolvers<Session>();
  const printed: OpenSession["printed"] = {};
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      printed.lines?.push(String(chunk));
      done();
    },
  });
  const surroundings = { ...around, stdin: new PassThrough().end(), stdout, person, log };
  const closed = runWithSession(options, surroundings, async (session) => {
    ready.resolve(session);
    await new Promise((resolve) => around.signal.addEventListener("abort", resolve, { once: true }));
  }).catch(ready.reject);
  return { ...(await ready.promise), printed, closed };
}

/** The parts that the work of a session needs. */
interface WorkParts {
  readonly id: string;
  readonly session: OpenSession;
  readonly requests: AgentsRequests;
  send(update: SessionUpdate): void;
}

/** The work on a session's run, from a message of the user to its end. */
export class SessionWork {
  mode: SessionMode;
  /** The run has begun, so that a message continues it. */
  hasRun: boolean;
  unusedServers: readonly string[] = [];
  /** The run has just begun with the message that is worked on. */
  private isNew = false;
  private readonly parts: WorkParts;
  private readonly updates: RunUpdates;

  constructor(parts: WorkParts, hasRun: boolean) {
    const { options, workspace } = parts.session;
    this.parts = parts;
    this.hasRun = hasRun;
    this.mode = options.isolated ? "isolated" : options.plan ? "plan" : "ask";
    this.updates = new RunUpdates({ id: parts.id, folder: workspace }, parts.send);
  }

  /** Reads the stored run, and shows its past. Throws a sentence if it can't be continued here. */
  async readStored(showsPast: boolean): Promise<void> {
    const composed = await this.openStored();
    try {
      const { state } = composed.run;
      this.mode = state.isolated ? "isolated" : state.mode === "plan" ? "plan" : "ask";
      if (showsPast) this.updates.showPast(composed.past);
    } finally {
      await composed.dispose();
    }
  }

  /** Starts the run, or opens it again. Throws a sentence if that isn't possible. */
  async open(given: EditorPrompt): Promise<LiveComposedRun> {
    this.isNew = !this.hasRun;
    const composed = this.isNew ? await this.startNew(given) : await this.openStored();
    this.hasRun = true;
    this.parts.requests.follow(composed);
    return composed;
  }

  /** Shows the editor the commands of the user and the repository, with which a message can begin. */
  async listCommands(): Promise<void> {
    const { host, workspace } = this.parts.session;
    const { commands } = await readOwnCommands(await findOwnFilePlaces(host, workspace));
    const availableCommands = commands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint === "" ? {} : { input: { hint } }),
    }));
    if (commands.length > 0) this.parts.send({ sessionUpdate: "available_commands_update", availableCommands });
  }

  async leave(composed: LiveComposedRun): Promise<void> {
    this.parts.requests.leave();
    await composed.dispose();
  }

  /** Works on a message until the run is over, and shows its end. */
  async carryOut(composed: LiveComposedRun, given: EditorPrompt, isCanceled: () => boolean): Promise<StopReason> {
    this.explainServers();
    if (!this.isNew) {
      await this.applyMode(composed);
      if (!(await this.raiseLimit(composed))) return "end_turn";
      await startContinuous(this.parts.session, composed);
      if (isCanceled()) return "cancelled";
      await this.say(composed, given);
    }
    const end = await this.runToItsEnd(composed);
    const isPlan = end.reason === "finished" && composed.run.state.mode === "plan";
    if (!isPlan && end.reason !== "stopped")
      this.updates.showMessage(describeRunEnd({ ...composed.run.state, end }).text);
    if (end.reason === "exhausted") this.updates.showMessage("Your next message asks whether to raise it.");
    return getStopReason(end);
  }

  /** Adds a message to the run: an answer, a rejection of what it proposes, or words for its next step. */
  async say({ run, live, home }: LiveComposedRun, given: EditorPrompt): Promise<void> {
    const { words, blocks, pictures, sources } = given;
    const { session, requests } = this.parts;
    const { host, workspace } = session;
    const checked = checkPictures(pictures);
    if (checked.length > 0) await demandSight((await host.models.resolveModelPair(workspace)).smart, checked);
    const attached = await keepPictures(home, checked);
    const { options } = await addResources({ ...session, options: { ...session.options, task: words } });
    const text = options.task ?? words;
    if (sources.length === 0) return requests.say(live, [text, ...blocks].join("\n\n"), attached);
    await run.record({ type: "said", text: blocks.join("\n\n"), by: "user", sources: [...sources] });
    await requests.say(live, text, attached);
  }

  async applyMode({ run }: LiveComposedRun): Promise<void> {
    const wanted = this.mode === "plan" ? "plan" : "ask";
    const isPlanning = run.state.mode === "plan";
    if (!run.state.isolated && isPlanning !== (wanted === "plan")) await run.record({ type: "changed", mode: wanted });
  }

  /** Puts the changes of an isolated run to the person, and brings into the workspace what they accept. */
  async review({ id, isolation }: LiveComposedRun): Promise<void> {
    const { session, requests } = this.parts;
    if (!isolation) return;
    const lines: string[] = [];
    session.printed.lines = lines;
    const options = createOptions("Accept all", "Leave them");
    await reviewInEditor(session, isolation, { id, ask: (toolCall) => requests.confirm({ toolCall, options }) });
    await session.out.waitUntilFlushed();
    delete session.printed.lines;
    this.updates.showMessage(lines.join(""));
  }

  private async openStored(): Promise<LiveComposedRun> {
    const { host } = this.parts.session;
    const opened = await openRun(host, await host.store.open(this.parts.id));
    if (isLive(opened)) return opened;
    await opened.dispose();
    throw new DisplayError(opened.readOnly ?? displayText("actions.readOnly"));
  }

  private async startNew({ words, blocks, pictures, sources }: EditorPrompt): Promise<LiveComposedRun> {
    const { session, id } = this.parts;
    const modes = { plan: this.mode === "plan", isolated: this.mode === "isolated" };
    const asked = await addResources({ ...session, options: { ...session.options, ...modes, task: words } });
    const task = [asked.options.task ?? words, ...blocks].join("\n\n");
    const title = cutText(words.replace(/\s+/g, " "), LONGEST_TITLE);
    this.parts.send({ sessionUpdate: "session_info_update", title });
    const given = { id, pictures: checkPictures(pictures), ...(sources.length > 0 ? { sources } : {}) };
    return startRun({ ...asked, options: { ...asked.options, task } }, given);
  }

  private async runToItsEnd({ live, run }: LiveComposedRun): Promise<RunEnd> {
    if (!live.running) live.resume();
    let end = await live.end;
    while (end.reason === "finished" && run.state.mode === "plan" && (await this.confirmPlan(end.summary))) {
      this.mode = "ask";
      this.parts.send({ sessionUpdate: "current_mode_update", currentModeId: "ask" });
      await agreeToPlan(run);
      live.resume();
      end = await live.end;
    }
    return end;
  }

  /** Asks for a higher value of each limit that is used up; false if the user leaves one. */
  private async raiseLimit({ run }: LiveComposedRun): Promise<boolean> {
    for (;;) {
      const limit = findExhaustedLimit(run.state.totals, run.state.limits);
      if (limit === undefined) return true;
      const now = run.state.limits[limit];
      const [old, higher] = [formatLimit(limit, now), formatLimit(limit, now * 2)];
      const title = `The run has used up its limit of ${old}. Raise it to ${higher}?`;
      if (!(await this.confirm("limit", { title, kind: "other" }, "Raise", "Leave it"))) {
        const advice = `To raise it yourself, add --set ${LIMIT_SETTINGS[limit]}=N to the arguments of autogpt acp.`;
        this.updates.showMessage(advice);
        return false;
      }
      await changeLimits(run, { [limit]: now * 2 });
    }
  }

  private async confirmPlan(summary: string): Promise<boolean> {
    this.updates.showMessage(summary);
    return this.confirm("plan", { title: "Carry out this plan?", kind: "switch_mode" }, "Carry out", "Keep planning");
  }

  private confirm(
    name: string,
    asked: Pick<ToolCallUpdate, "title" | "kind">,
    ...names: readonly [yes: string, no: string]
  ): Promise<boolean> {
    const { id, requests } = this.parts;
    const toolCall = { ...asked, toolCallId: `${id}/${name}/${Date.now()}`, status: "pending" as const };
    return requests.confirm({ toolCall, options: createOptions(...names) });
  }

  private explainServers(): void {
    if (this.unusedServers.length === 0) return;
    const names = this.unusedServers.join(", ");
    this.unusedServers = [];
    this.updates.showMessage(
      `The editor's MCP servers aren't used: ${names}. To use one, add it with "autogpt mcp import", and allow it with "autogpt plugins allow".`,
    );
  }
}

function createOptions(yes: string, no: string): PermissionOption[] {
  return [
    { optionId: "yes", name: yes, kind: "allow_once" },
    { optionId: "no", name: no, kind: "reject_once" },
  ];
}

function isLive(run: ComposedRun): run is LiveComposedRun {
  return run.live !== undefined;
}

function getStopReason(end: RunEnd): StopReason {
  if (end.reason !== "exhausted") return "end_turn";
  return end.limit === "tokens" ? "max_tokens" : "max_turn_requests";
}
