import { Emitter } from "../base/emitter.ts";
import type { ApprovalRequest, Approver, DecisionRecord, User } from "../ports/approver.ts";

/** A proposal or a question that waits for the user. */
export type PendingInput =
  | { readonly kind: "proposal"; readonly request: ApprovalRequest }
  | { readonly kind: "question"; readonly text: string };

type Open =
  | {
      readonly kind: "proposal";
      readonly request: ApprovalRequest;
      readonly settle: (value: DecisionRecord | "again") => void;
    }
  | { readonly kind: "question"; readonly text: string; readonly settle: (value: string) => void };

/** The requests of a run to its user, one at a time: the agent asks and waits, whoever controls the run settles. */
export class UserRequests {
  /** The request that waits now. */
  open: Open | undefined;
  /** The user's answer to an interrupted question, until the question is asked again. */
  answer: string | undefined;
  readonly changes = new Emitter();

  /** Asks the user about a proposal and waits. */
  readonly approver: Approver = {
    decide: (request, signal) =>
      this.wait<DecisionRecord | "again">(signal, (settle) => ({ kind: "proposal", request, settle })),
  };

  /** Asks the user a question and waits. */
  readonly user: User = {
    ask: async (text, signal) => {
      const { answer } = this;
      this.answer = undefined;
      return answer ?? this.wait<string>(signal, (settle) => ({ kind: "question", text, settle }));
    },
  };

  /** Waits until it is settled or aborted. Settling it later has no effect. */
  private async wait<T>(signal: AbortSignal, opening: (settle: (value: T) => void) => Open): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const close = (): void => {
      this.open = undefined;
      signal.removeEventListener("abort", abort);
      this.changes.fire();
    };
    const abort = (): void => {
      close();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.open = opening((value) => {
      close();
      resolve(value);
    });
    this.changes.fire();
    return promise;
  }
}
