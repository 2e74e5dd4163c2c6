import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { FleetBeat } from "../../schema/fleet/orders.ts";
import type { LogCheck } from "../carrying-engine.ts";
import type { FleetEvent } from "../engine.ts";

/** Puts the news of heartbeats, of which some may be missed, together to a log without gaps. */
export class BeatReader {
  private readonly check: LogCheck;
  /** Lines of the log that were read. */
  private held: number;
  private stretch = 0;
  private next = 0;
  private asked: string | undefined;
  private why: string | undefined;

  constructor(check: LogCheck) {
    this.check = check;
    this.held = check.held;
  }

  /** Whether there are lines between those that were read and the news. */
  isBehind(beat: FleetBeat | undefined): boolean {
    return beat !== undefined && beat.stored > this.held;
  }

  /** Reports those of the news, and of the log, that are new. `trouble`: why no worker works on the run. Throws a sentence for a line that no machine of the fleet wrote. */
  *read(beat: FleetBeat | undefined, log: readonly string[], trouble?: string): Generator<FleetEvent> {
    for (const line of log.slice(this.held)) yield this.take(line);
    yield* this.hold(beat?.held ?? trouble);
    if (!beat) return;
    if (beat.stretch !== this.stretch) this.next = 0;
    this.stretch = beat.stretch;
    let stored = beat.stored;
    for (const [index, line] of beat.lines.entries()) {
      if (line.type === "stored") {
        stored += 1;
        if (stored === this.held + 1) yield this.take(line.line);
      } else if (line.type === "refused" && beat.first + index >= this.next)
        yield { ...line, why: escapeInvisible(line.why) };
    }
    this.next = Math.max(this.next, beat.first + beat.lines.length);
    const { asked } = beat;
    if (asked?.seal === this.asked) return;
    this.asked = asked?.seal;
    yield { type: "asks", ...omitUndefined({ question: asked && this.check.readQuestion(asked) }) };
  }

  /** A run on which no worker can work is like one that can't be reached. */
  private *hold(held: string | undefined): Generator<FleetEvent> {
    if (held === this.why) return;
    this.why = held;
    if (held === undefined) yield { type: "connection", isLost: false };
    else yield { type: "connection", isLost: true, isIdle: true, why: escapeInvisible(held) };
  }

  private take(line: string): FleetEvent {
    this.check.checkLine(line);
    this.held += 1;
    return { type: "stored", line };
  }
}
