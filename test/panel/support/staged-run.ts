import type { Outcome } from "../../../src/core/commands/outcome.ts";
import { applyEvent, NO_RUN, RECENT_STEPS, type RunState, type StepView } from "../../../src/core/events/run-state.ts";
import type { Reply, Thoughts } from "../../../src/core/reply/reply.ts";
import type { AgentEvent, AgentEventBody } from "../../../src/schema/events.ts";
import type { PanelUpdate } from "../../../src/schema/panel-messages.ts";
import type { RecalledMemory } from "../../../src/schema/run-values.ts";
import { sampleStart, sampleTail } from "../../support/sample-run.ts";

const START = Date.UTC(2026, 0, 2, 9, 0, 0);

/** One step of a staged run. */
export interface StagedStep {
  readonly thoughts?: Partial<Thoughts>;
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
  readonly unreadable?: string;
  readonly recalled?: readonly RecalledMemory[];
  readonly outcome?: Outcome;
  /** How far the step comes; to its end by default. */
  readonly until?: "asked" | "replied" | "began";
  readonly rule?: string;
  readonly promptTokens?: number;
}

/** A run that is made up event by event, for the panel to show. */
export class StagedRun {
  readonly events: AgentEvent[] = [];
  readonly steps: StepView[] = [];
  private current: RunState = NO_RUN;

  constructor(more: Parameters<typeof sampleStart>[0] = {}) {
    this.add(
      sampleStart({
        id: "20260102_090000_fixer_0a1b",
        task: "Find out why the tests of the parser fail and fix it.",
        profile: {
          name: "Parser Fixer",
          role: "an engineer who fixes parsers.",
          goals: ["Find the failing test.", "Fix the parser.", "Show that all tests pass."],
        },
        model: { smart: "gpt-large", fast: "gpt-small", contextWindow: 128_000 },
        limits: { steps: 100, replies: 300, tokens: 200_000_000, minutes: 60, usd: 2 },
        ...more,
      }),
    );
  }

  get state(): RunState {
    return this.current;
  }

  get id(): string {
    return this.current.id;
  }

  add(body: AgentEventBody): AgentEvent {
    const seq = this.current.seq + 1;
    const event: AgentEvent = { seq, at: new Date(START + seq * 1000).toISOString(), ...body };
    this.events.push(event);
    this.current = applyEvent(this.current, event);
    const ended = this.current.recent.at(-1);
    if (event.type === "ended" && ended) this.steps.push(ended);
    return event;
  }

  /** Plays a step and returns its events. */
  step({
    thoughts,
    call,
    unreadable,
    recalled = [],
    outcome,
    until,
    rule,
    promptTokens,
  }: StagedStep): readonly AgentEvent[] {
    const from = this.events.length;
    const step = this.current.totals.steps + 1;
    const { name, args } = call ?? { name: "read_file", args: { filename: "src/parser.ts" } };
    const size = promptTokens === undefined ? {} : { tokens: promptTokens };
    this.add({ type: "asked", step, format: "tools", tail: sampleTail({ recalled }), ...size });
    if (until === "asked") return this.events.slice(from);
    const reply: Reply =
      unreadable === undefined
        ? {
            kind: "proposal",
            thoughts: { text: "", reasoning: "", plan: "", criticism: "", speak: "", ...thoughts },
            call: { name, args },
          }
        : { kind: "unreadable", problem: unreadable };
    this.add({
      type: "replied",
      step,
      format: "tools",
      text: "",
      calls: [],
      finish: "tool_calls",
      reply,
      model: "gpt-large",
      usage: { input: 5200 + 90 * step, output: 210, cached: 4800 + 80 * step },
      costUsd: 0.0031,
    });
    if (until === "replied") return this.events.slice(from);
    if (unreadable === undefined) {
      const by = rule === undefined ? { by: "user" as const } : { by: "rule" as const, rule };
      const allow = outcome?.status !== "refused";
      this.add({
        type: "decided",
        step,
        allow,
        ...by,
        reason: rule === undefined ? "approved by the user" : "it only reads inside the workspace",
        hash: `hash-${step}`,
      });
      if (allow) this.add({ type: "began", step, command: name, args });
    }
    if (until === "began") return this.events.slice(from);
    this.add({
      type: "ended",
      step,
      outcome:
        unreadable === undefined
          ? (outcome ?? { status: "done", output: "done" })
          : { status: "failed", error: unreadable },
    });
    return this.events.slice(from);
  }

  /** What the panel gets when this run is opened: a snapshot, its last page, and that nothing waits. */
  opening(more: Partial<Extract<PanelUpdate, { type: "snapshot" }>> = {}): readonly PanelUpdate[] {
    return [
      {
        type: "snapshot",
        run: this.id,
        state: { ...this.current, recent: [] },
        readOnly: false,
        running: true,
        commands: COMMANDS,
        withheld: WITHHELD,
        continuous: false,
        grant: 0,
        speech: false,
        ...more,
      },
      this.page(Number.POSITIVE_INFINITY),
      { type: "waiting", run: this.id },
    ];
  }

  /** The last page of steps before one. */
  page(before: number): PanelUpdate {
    const steps = this.steps.filter(({ step }) => step < before).slice(-RECENT_STEPS);
    return {
      type: "page",
      run: this.id,
      steps,
      earlier: (steps[0]?.step ?? 1) > 1,
      sideEvents: this.sideEvents(steps, before),
    };
  }

  private sideEvents(steps: readonly StepView[], before: number): readonly AgentEvent[] {
    const from = steps[0]?.at ?? "";
    const to = this.steps.find(({ step }) => step >= before)?.at ?? "9";
    const shown: ReadonlySet<string> = new Set([
      "said",
      "paused",
      "resumed",
      "compacted",
      "granted",
      "changed",
      "undone",
    ]);
    return this.events.filter(({ type, at }) => shown.has(type) && at >= from && at < to);
  }
}

const COMMANDS = [
  { name: "read_file", description: "Reads a file, whole or by lines." },
  { name: "edit_file", description: "Replaces one passage of a file." },
  { name: "execute_shell", description: "Runs a command line in the workspace folder." },
  { name: "task_complete", description: "Ends the run with a summary." },
];

const WITHHELD = [
  { name: "web_search", why: "It is turned off in the settings (autogpt.web.enabled)." },
  { name: "generate_image", why: "It needs an API key for images. Set one by AutoGPT: Set API Key." },
];
