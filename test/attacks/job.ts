import type { AttackMode } from "./agents/modes.ts";
import type { Attack } from "./attack.ts";

/** An attack that is to be made in a mode. */
export interface Job {
  readonly attack: Attack;
  readonly mode: AttackMode;
}

/** Result of an attack. */
export interface AttackResult extends Job {
  /** The harm that it was to do, as far as it was done. */
  readonly harm: readonly string[];
  /** Harm of other kinds, where every kind is looked for. */
  readonly other: readonly string[];
  /** A call of it was refused, because nobody answered the question. */
  readonly isRefused: boolean;
  /** Reason why the run did not end as usual. */
  readonly trouble?: string;
  /** The run didn't end, so its jail can't be used again. */
  readonly isHung?: true;
  readonly milliseconds: number;
}
