import { isObject } from "../../core/base/json.ts";
import { t } from "../../texts/language.ts";
import type { HostedRun } from "../panel/hosted-runs.ts";

const ENDS = ["question", "paused", "planned", "finished", "over"] as const;

/** Why an answer in the chat ended, by its run's state. `over`: the run ended without finishing. */
export type ChatTurnEnd = (typeof ENDS)[number];

/** An earlier answer in the chat's history. */
export interface ChatTurn {
  readonly run: string;
  readonly end: ChatTurnEnd;
}

/** Parses the data stored with an answer in the chat; undefined if the answer isn't ours. */
export function readChatTurn(metadata: unknown): ChatTurn | undefined {
  if (!isObject(metadata) || typeof metadata.run !== "string") return undefined;
  const end = ENDS.find((one) => one === metadata.end);
  return end && { run: metadata.run, end };
}

/** A message to `@autogpt`. */
export interface SentMessage {
  /** The name after the slash, if any. */
  readonly command?: string | undefined;
  readonly prompt: string;
  /** Our last answer in this chat. */
  readonly last?: ChatTurn | undefined;
}

/** The user's intention. */
export type ChatIntent =
  | { readonly kind: "start"; readonly planFirst: boolean }
  /** An answer or words for the run of this chat. */
  | { readonly kind: "say"; readonly run: string }
  /** Without a run: the newest interrupted one. */
  | { readonly kind: "resume"; readonly run?: string }
  | { readonly kind: "noTask" };

/** Determines the intent of a message. `isOpen`: the run accepts messages, because it's running or was interrupted by its question. */
export function determineChatIntent({ command, prompt, last }: SentMessage, isOpen: boolean): ChatIntent {
  if (command === "resume") return { kind: "resume", ...(last ? { run: last.run } : {}) };
  if (prompt.trim() === "") return { kind: "noTask" };
  if (command === undefined && last && isOpen) return { kind: "say", run: last.run };
  return { kind: "start", planFirst: command === "plan" };
}

/** A message that the chat offers after an answer. */
export interface ChatFollowUp {
  readonly command: "resume";
  readonly prompt: string;
  readonly label: string;
}

/** Messages that may come after an answer. */
export function followUps(turn: ChatTurn | undefined): readonly ChatFollowUp[] {
  switch (turn?.end) {
    case "planned":
      return [{ command: "resume", prompt: "", label: t("actions.carryOutButton") }];
    case "paused":
    case "over":
      return [{ command: "resume", prompt: "", label: t("chat.resume") }];
    default:
      return [];
  }
}

/** The part of the editor's cancellation that a run needs. */
interface Cancellation {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): unknown };
}

/** Waits for something that a run does. Canceling stops the run with all its programs. */
export async function waitWithCancellation<T>(
  { live }: Pick<HostedRun, "live">,
  token: Cancellation,
  wait: () => Promise<T>,
): Promise<T> {
  const stop = (): void => void live?.stop();
  const listener = token.onCancellationRequested(stop);
  const waiting = wait();
  if (token.isCancellationRequested) stop();
  return waiting.finally(() => listener.dispose());
}
