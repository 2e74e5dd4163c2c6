import type { Client } from "@temporalio/client";
import type { RunMail } from "./workflow.ts";

/** Without an answer of the server for that long, in ms, another worker may soon begin: this one has to be gone by then. */
const FENCE_MS = 20_000;
const CHECK_MS = 500;
const DEADLINE_MS = 5_000;

/** Reports of the server about a stretch. */
interface StretchReports {
  /** The work must end now. */
  readonly leave: (why: Error) => void;
  /** Takes what has come for the run. */
  readonly takeMail: (mail: RunMail) => Promise<void>;
}

/** Asks the server whether a stretch still belongs to this worker, and for what has come for its run. */
export class StretchLink {
  private readonly client: Client;
  private readonly run: string;
  private readonly activity: string;
  private readonly reports: StretchReports;
  private readonly timer: NodeJS.Timeout;
  private confirmed = performance.now();
  private events = -1;

  constructor(
    client: Client,
    { run, activity }: { readonly run: string; readonly activity: string },
    reports: StretchReports,
  ) {
    this.client = client;
    this.run = run;
    this.activity = activity;
    this.reports = reports;
    this.timer = setInterval(() => {
      if (performance.now() - this.confirmed > FENCE_MS) reports.leave(new Error("The server can't be reached."));
    }, CHECK_MS);
  }

  /** A look costs the server little; only a longer history can have brought something. */
  async look(): Promise<void> {
    const handle = this.client.workflow.getHandle(this.run);
    const asked = performance.now();
    const { raw } = await this.client.withDeadline(Date.now() + DEADLINE_MS, () => handle.describe());
    if (raw.pendingActivities?.some(({ activityId }) => activityId === this.activity)) this.confirmed = asked;
    else return this.reports.leave(new Error("The run was given to another worker."));
    const events = Number(raw.workflowExecutionInfo?.historyLength ?? 0);
    if (events === this.events) return;
    await this.client.withDeadline(Date.now() + DEADLINE_MS, async () =>
      this.reports.takeMail(await handle.query<RunMail>("mail")),
    );
    this.events = events;
  }

  close(): void {
    clearInterval(this.timer);
  }
}
