import { escapeSmuggled } from "../../core/base/text.ts";
import { createCallTitle } from "../../core/commands/call-title.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import { describeRunEnd, pauseReason } from "../../core/events/end-text.ts";
import { findOpenQuestion, type StepView } from "../../core/events/run-state.ts";
import { createStepLine, type StepLine } from "../../core/events/step-line.ts";
import type { ModelDelta } from "../../core/ports/model.ts";
import type { Thoughts } from "../../core/reply/reply.ts";
import { createThoughtStream } from "../../core/reply/thought-stream.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { restoreSentence, type Sentence } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import type { HostedRun, HostedRuns } from "../panel/hosted-runs.ts";
import { getAskerName } from "../panel/notification-text.ts";
import { findPendingProposal, type PendingProposal } from "../review/pending-decisions.ts";
import {
  type ChatPart,
  createActionButton,
  createParagraph,
  createProblemParts,
  escapeAsMarkdown,
  quoteExactMarkdown,
  renderTitleMarkdown,
  renderWholeProposal,
} from "./chat-parts.ts";
import type { ChatTurnEnd } from "./chat-turn.ts";

/** The events of open runs that a story needs. */
export type StoryRuns = Pick<HostedRuns, "onEvent" | "onDelta" | "onRestart" | "onNotice" | "onChange">;

/** Shows a run's progress in the chat until it's over, paused, or asks the user a question. */
export async function showRunInChat(
  runs: StoryRuns,
  hosted: HostedRun,
  show: (part: ChatPart) => void,
): Promise<ChatTurnEnd> {
  const { promise, resolve } = Promise.withResolvers<ChatTurnEnd>();
  const story = new RunStory(hosted, show, resolve);
  const isOwn = ({ runId }: { readonly runId: string }): boolean => runId === hosted.id;
  const listeners = [
    runs.onEvent((news) => isOwn(news) && story.handleEvent(news.event)),
    runs.onDelta((news) => isOwn(news) && story.showDelta(news.step, news.delta)),
    runs.onRestart((news) => isOwn(news) && story.beginReply()),
    runs.onNotice((news) => isOwn(news) && story.notice(news.text, news.kind)),
    runs.onChange((changed) => story.handleChange(changed)),
  ];
  story.handleChange(hosted);
  void hosted.live?.end.then((end) => story.showEnd(end));
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
  private read = createThoughtStream();
  private step = 0;
  /** Thoughts of the open step were streamed. */
  private hasThoughts = false;
  private isOver = false;

  constructor(hosted: HostedRun, show: (part: ChatPart) => void, finish: (end: ChatTurnEnd) => void) {
    this.hosted = hosted;
    this.show = show;
    this.finish = finish;
  }

  handleEvent(event: AgentEvent): void {
    switch (event.type) {
      case "asked":
        this.beginReply();
        this.showProgress(t("timeline.thinking"));
        break;
      case "replied":
        if (event.reply.kind === "proposal" && !this.hasThoughts) this.showThoughts(event.reply.thoughts);
        break;
      case "began":
        this.showProgress(write(createCallTitle({ name: event.command, args: event.args }).before));
        break;
      case "ended":
        this.showEndedStep(this.hosted.run.state.recent.at(-1));
        break;
      case "paused":
        this.showPause(event.reason);
    }
  }

  showDelta(step: number, delta: ModelDelta): void {
    if (delta.kind === "reasoning") return;
    if (step !== this.step) this.beginReply();
    this.step = step;
    const pieces = this.read(delta.text).filter(({ field }) => field === "text");
    this.showText(pieces.map(({ text }) => text).join(""));
  }

  /** Starts a reply, perhaps again. Text already streamed can't be removed. */
  beginReply(): void {
    this.read = createThoughtStream();
    this.hasThoughts = false;
    this.show(createParagraph(""));
  }

  /** Shows a warning that stays in the chat, with buttons for the actions it names. */
  notice(text: Sentence, kind: "info" | "warning"): void {
    if (kind === "warning") for (const part of createProblemParts(text)) this.show(part);
    else this.showProgress(write(text));
  }

  showProgress(text: string): void {
    this.show({ kind: "progress", markdown: renderTitleMarkdown(text) });
  }

  /** Checks for a new pending decision of this run, or of an agent that works for it. */
  handleChange(changed: HostedRun): void {
    if (this.isOver) return;
    const isAgent = changed.run.state.worksFor === this.hosted.id;
    if (changed !== this.hosted && !isAgent) return;
    const waiting = findPendingProposal(changed);
    if (waiting && !this.shown.has(waiting.request)) this.propose(changed, waiting);
    if (changed !== this.hosted) return;
    const { live } = changed;
    if (live?.blockedReason !== undefined) this.showProgress(write(live.blockedReason));
    const question = live?.pending?.kind === "question" ? live.pending.text : undefined;
    if (question !== undefined) this.ask(question);
  }

  private showText(text: string): void {
    if (text === "") return;
    this.hasThoughts = true;
    this.show({ kind: "text", markdown: escapeAsMarkdown(escapeSmuggled(text)) });
  }

  private showThoughts({ text, speak, reasoning }: Thoughts): void {
    this.showText(text || speak || reasoning);
  }

  private showEndedStep(step: StepView | undefined): void {
    if (!step || step.outcome?.status === "finished") return;
    const { icon, title, summary, files = [] } = createStepLine(step, false);
    const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
    const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
    const sizes = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])];
    const size = sizes.length > 0 ? ` (${sizes.join(" ")})` : "";
    const result = summary ? ` — ${write(summary)}` : "";
    this.show(createParagraph(`${MARKS[icon]} ${renderTitleMarkdown(`${write(title)}${size}${result}`)}`));
  }

  private propose(asking: HostedRun, { request }: PendingProposal): void {
    this.shown.add(request);
    const { step, hash, proposal } = request;
    const agent = getAskerName(asking);
    const title = write(createCallTitle(proposal.call).before);
    this.show(createParagraph(`**${renderTitleMarkdown(t("chat.needsApproval", { agent, title }))}**`));
    const whole = renderWholeProposal(request);
    this.show(
      whole === undefined
        ? createParagraph(t("chat.reviewFirst"))
        : { kind: "text", markdown: quoteExactMarkdown(whole) },
    );
    const exactly = { runId: asking.id, step, hash };
    this.show(createActionButton("approve", t("approval.approveButton"), exactly));
    this.show(createActionButton("refuse", t("approval.rejectButton"), exactly));
    this.show(createActionButton("openPanel", t("review.reviewButton"), asking.id, step));
  }

  private ask(question: string): void {
    const heading = t("review.question", { agent: getAskerName(this.hosted) });
    this.show(createParagraph(`**${renderTitleMarkdown(heading)}**`));
    this.show(createParagraph(escapeAsMarkdown(escapeSmuggled(question))));
    this.show(createParagraph(t("chat.answerHere")));
    this.end("question");
  }

  private showPause(why: string): void {
    this.show(createParagraph(`**${t("header.state.paused")}**`));
    for (const part of createProblemParts(pauseReason(why, this.hosted.run.state))) this.show(part);
    this.end(findOpenQuestion(this.hosted.run.state) === undefined ? "paused" : "question");
  }

  showEnd(end: RunEnd): void {
    if (this.isOver) return;
    const { run, id, isolation } = this.hosted;
    const { heading, text, actions } = describeRunEnd({ ...run.state, end });
    this.show(createParagraph(`**${heading}**`));
    // The sentence and not what is written of it, because that names actions in English.
    const why = end.reason === "failed" ? restoreSentence(end.error, end.text) : text;
    for (const part of createProblemParts(why)) this.show(part);
    const hasChanged = run.state.recent.some(
      ({ outcome }) => outcome?.status === "done" && (outcome.files ?? []).length > 0,
    );
    if (hasChanged || isolation)
      this.show(createActionButton("reviewChanges", t("actions.reviewChangesButton"), { runId: id }));
    if (actions.includes("raiseBudget"))
      this.show(createActionButton("continueAgent", t("actions.raiseBudgetButton"), { runId: id }));
    const finished = run.state.mode === "plan" ? "planned" : "finished";
    this.end(end.reason === "finished" ? finished : "over");
  }

  private end(end: ChatTurnEnd): void {
    this.isOver = true;
    this.finish(end);
  }
}
