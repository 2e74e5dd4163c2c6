import type { Approver, User } from "../core/ports.ts";
import { untilAborted } from "../core/until-aborted.ts";

/** Lets one speak at a time: the others wait until it is done. */
export type Turns = <T>(signal: AbortSignal, act: () => Promise<T>) => Promise<T>;

/** Makes turns at one terminal, for runs that all ask there. */
export function turns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (signal, act) => {
    const before = last;
    const mine = untilAborted(before, signal).then(() => {
      signal.throwIfAborted();
      return act();
    });
    last = before.then(() => mine).catch(() => undefined);
    return mine;
  };
}

export function approverInTurn(approver: Approver, take: Turns): Approver {
  return { decide: (request, signal) => take(signal, () => approver.decide(request, signal)) };
}

export function userInTurn(user: User, take: Turns): User {
  return { ask: (question, signal) => take(signal, () => user.ask(question, signal)) };
}
