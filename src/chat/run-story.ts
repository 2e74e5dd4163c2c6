import { withoutSmuggled } from "../core/base/text.ts";
import { callTitle } from "../core/commands/call-title.ts";
import type { RunEnd } from "../core/commands/outcome.ts";
import { endText, pauseReason } from "../core/events/end-text.ts";
import { openQuestion, type StepView } from "../core/events/run-state.ts";
import { type StepLine, stepLine } from "../core/events/step-line.ts";
import type { ModelDelta } from "../core/ports/model.ts";
import type { Thoughts } from "../core/reply/reply.ts";
import { thoughtStream } from "../core/reply/thought-stream.ts";
import type { HostedRun, HostedRuns } from "../panel/hosted-runs.ts";
import { askerName } from "../panel/notification-text.ts";
import { type PendingProposal, pendingProposal } from "../review/pending-decisions.ts";
import type { AgentEvent } from "../schema/events.ts";
import { type Sentence, sentenceOf } from "../texts/display-text.ts";
import { t, write } from "../texts/language.ts";
import {
  type ChatPart,
  chatButton,
  exactMarkdown,
  paragraph,
  plainMarkdown,
  problemParts,
  titleMarkdown,
  wholeInChat,
} from "./chat-parts.ts";
import type { ChatTurnEnd } from "./chat-turn.ts";

/** The open runs, as far as a story needs them. */
export type StoryRuns = Pick<HostedRuns, "onEvent" | "onDelta" | "onRestart" | "onNotice" | "onChange">;

/** Shows a run in the chat as it goes, until it's over, paused, or asks the user a question. */
export async function tellRun(
  runs: StoryRuns,
  hosted: HostedRun,
  show: (part: ChatPart) => void,
): Promise<ChatTurnEnd> {
  const { promise, resolve } = Promise.withResolvers<ChatTurnEnd>();
  const story = new RunStory(hosted, show, resolve);
  const isOwn = ({ runId }: { readonly runId: string }): boolean => runId === hosted.id;
  const listeners = [
    runs.onEvent((news) => isOwn(news) && story.event(news.event)),
    runs.onDelta((news) => isOwn(news) && story.delta(news.step, news.delta)),
    runs.onRestart((news) => isOwn(news) && story.restarted()),
    runs.onNotice((news) => isOwn(news) && story.notice(news.text, news.kind)),
    runs.onChange((changed) => story.changed(changed)),
  ];
  story.changed(hosted);
  void hosted.live?.end.then((end) => story.over(end));
  try {
    return await promise;
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}

/** The marks of a step's line, for readers without icons. */
const MARKS: Readonly<Record<StepLine["icon"], string>> = {
  accept: "✓",
  flag: "✓",
  close: "✗",
  warning: "✗",
  refuse: "⊘",
  pause: "…",
  ask: "…",
  working: "…",
};

class RunStory {
  private readonly hosted: HostedRun;
  private readonly show: (part: ChatPart) => void;
  private readonly finish: (end: ChatTurnEnd) => void;
  private readonly shown = new WeakSet<object>();
  private read = thoughtStream();
  private step = 0;
  /** Thoughts of the open step were streamed. */
  private hasThoughts = false;
  private isOver = false;

  constructor(hosted: HostedRun, show: (part: ChatPart) => void, finish: (end: ChatTurnEnd) => void) {
    this.hosted = hosted;
    this.show = show;
    this.finish = finish;
  }

  event(event: AgentEvent): void {
    switch (event.type) {
      case "asked":
        this.restarted();
        this.progress(t("timeline.thinking"));
        break;
      case "replied":
        if (event.reply.kind === "proposal" && !this.hasThoughts) this.thoughts(event.reply.thoughts);
        break;
      case "began":
        this.progress(write(callTitle({ name: event.command, args: event.args }).before));
        break;
      case "ended":
        this.ended(this.hosted.run.state.recent.at(-1));
        break;
      case "paused":
        this.paused(event.reason);
    }
  }

  delta(step: number, delta: ModelDelta): void {
    if (delta.kind === "reasoning") return;
    if (step !== this.step) this.restarted();
    this.step = step;
    const pieces = this.read(delta.text).filter(({ field }) => field === "text");
    this.said(pieces.map(({ text }) => text).join(""));
  }

  /** A reply begins, perhaps again. What was streamed of it can't be taken back. */
  restarted(): void {
    this.read = thoughtStream();
    this.hasThoughts = false;
    this.show(paragraph(""));
  }

  /** A warning stays in the chat, with buttons for what it names. */
  notice(text: Sentence, kind: "info" | "warning"): void {
    if (kind === "warning") for (const part of problemParts(text)) this.show(part);
    else this.progress(write(text));
  }

  progress(text: string): void {
    this.show({ kind: "progress", markdown: titleMarkdown(text) });
  }

  /** Another decision of this run, or of an agent that works for it, may be pending. */
  changed(changed: HostedRun): void {
    if (this.isOver) return;
    const isAgent = changed.run.state.worksFor === this.hosted.id;
    if (changed !== this.hosted && !isAgent) return;
    const waiting = pendingProposal(changed);
    if (waiting && !this.shown.has(waiting.request)) this.propose(changed, waiting);
    if (changed !== this.hosted) return;
    const { live } = changed;
    if (live?.blockedReason !== undefined) this.progress(write(live.blockedReason));
    const question = live?.pending?.kind === "question" ? live.pending.text : undefined;
    if (question !== undefined) this.ask(question);
  }

  private said(text: string): void {
    if (text === "") return;
    this.hasThoughts = true;
    this.show({ kind: "text", markdown: plainMarkdown(withoutSmuggled(text)) });
  }

  private thoughts({ text, speak, reasoning }: Thoughts): void {
    this.said(text || speak || reasoning);
  }

  private ended(step: StepView | undefined): void {
    if (!step || step.outcome?.status === "finished") return;
    const { icon, title, summary, files = [] } = stepLine(step, false);
    const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
    const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
    const sizes = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])];
    const size = sizes.length > 0 ? ` (${sizes.join(" ")})` : "";
    const result = summary ? ` — ${write(summary)}` : "";
    this.show(paragraph(`${MARKS[icon]} ${titleMarkdown(`${write(title)}${size}${result}`)}`));
  }

  private propose(asking: HostedRun, { request }: PendingProposal): void {
    this.shown.add(request);
    const { step, hash, proposal } = request;
    const agent = askerName(asking);
    const title = write(callTitle(proposal.call).before);
    this.show(paragraph(`**${titleMarkdown(t("chat.needsApproval", { agent, title }))}**`));
    const whole = wholeInChat(request);
    this.show(
      whole === undefined
        ? paragraph(t("chat.reviewFirst"))
        : { kind: "text", markdown: exactMarkdown(whole) },
    );
    const exactly = { runId: asking.id, step, hash };
    this.show(chatButton("approve", t("approval.approveButton"), exactly));
    this.show(chatButton("refuse", t("approval.rejectButton"), exactly));
    this.show(chatButton("openPanel", t("review.reviewButton"), asking.id, step));
  }

  private ask(question: string): void {
    const heading = t("review.question", { agent: askerName(this.hosted) });
    this.show(paragraph(`**${titleMarkdown(heading)}**`));
    this.show(paragraph(plainMarkdown(withoutSmuggled(question))));
    this.show(paragraph(t("chat.answerHere")));
    this.end("question");
  }

  private paused(why: string): void {
    this.show(paragraph(`**${t("header.state.paused")}**`));
    for (const part of problemParts(pauseReason(why, this.hosted.run.state))) this.show(part);
    this.end(openQuestion(this.hosted.run.state) === undefined ? "paused" : "question");
  }

  over(end: RunEnd): void {
    if (this.isOver) return;
    const { run, id, isolation } = this.hosted;
    const { heading, text, actions } = endText({ ...run.state, end });
    this.show(paragraph(`**${heading}**`));
    // The sentence and not what is written of it, because that names actions in English.
    const why = end.reason === "failed" ? sentenceOf(end.error, end.text) : text;
    for (const part of problemParts(why)) this.show(part);
    const hasChanged = run.state.recent.some(
      ({ outcome }) => outcome?.status === "done" && (outcome.files ?? []).length > 0,
    );
    if (hasChanged || isolation)
      this.show(chatButton("reviewChanges", t("actions.reviewChangesButton"), { runId: id }));
    if (actions.includes("raiseBudget"))
      this.show(chatButton("continueAgent", t("actions.raiseBudgetButton"), { runId: id }));
    const finished = run.state.mode === "plan" ? "planned" : "finished";
    this.end(end.reason === "finished" ? finished : "over");
  }

  private end(end: ChatTurnEnd): void {
    this.isOver = true;
    this.finish(end);
  }
}
