import { untilAborted } from "./until-aborted.ts";

/** The reason of a pause that the user asked for; any other pause means trouble. */
export const PAUSED_BY_USER = "Paused by the user.";

/** Where a run waits between two steps while it is paused. */
export class Gate {
  private why: string | undefined;
  private waiting: (() => void)[] = [];

  /** Why the run shall wait; undefined when the way is free. */
  get reason(): string | undefined {
    return this.why;
  }

  close(reason: string): void {
    this.why = reason;
  }

  open(): void {
    this.why = undefined;
    for (const go of this.waiting.splice(0)) go();
  }

  /** Resolves when the gate opens; an abort throws the signal's reason. */
  async opened(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.why === undefined) return;
    await untilAborted(new Promise<void>((resolve) => this.waiting.push(resolve)), signal);
  }
}
