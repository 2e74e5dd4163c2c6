import type { Completion, ModelDelta, ToolCall, Usage } from "../core/ports/model.ts";
import type { CallPiece, Chunk } from "./chunk.ts";

interface OpenCall {
  readonly index: number | undefined;
  readonly id: string;
  name: string;
  arguments: string;
}

/** A reply that is still arriving: pieces go in, deltas come out, and at the end the completion. */
export class ReplyInProgress {
  private text = "";
  private readonly calls: OpenCall[] = [];
  private finish = "";
  private model = "";
  private usage: Usage | undefined;
  private costUsd: number | undefined;

  /** The server has said why it ended, so nothing more is needed. */
  get finished(): boolean {
    return this.finish !== "";
  }

  /** Anything at all has come. */
  get begun(): boolean {
    return this.finished || this.text !== "" || this.calls.length > 0;
  }

  /** Takes the next piece, and tells what is new to whoever watches: text, or more of the first call. */
  add(chunk: Chunk): ModelDelta[] {
    this.model = chunk.model || this.model;
    this.finish = chunk.finish || this.finish;
    this.usage = chunk.usage ?? this.usage;
    this.costUsd = chunk.costUsd ?? this.costUsd;
    this.text += chunk.text;
    const text: ModelDelta[] = chunk.text === "" ? [] : [{ kind: "text", text: chunk.text }];
    return [...text, ...chunk.calls.flatMap((piece) => this.addCall(piece))];
  }

  /** The whole reply. `model` is what the server is said to be when it does not say so itself. */
  completion(model: string): Completion {
    return {
      text: this.text,
      calls: this.calls.map(({ id, name, arguments: args }): ToolCall => ({ id, name, arguments: args })),
      finish: this.finish,
      model: this.model || model,
      ...(this.usage ? { usage: this.usage } : {}),
      ...(this.costUsd === undefined ? {} : { costUsd: this.costUsd }),
    };
  }

  private addCall(piece: CallPiece): ModelDelta[] {
    const known = this.callOf(piece);
    const call = known ?? { index: piece.index, id: piece.id || newId(), name: "", arguments: "" };
    if (!known) this.calls.push(call);
    call.name ||= piece.name;
    call.arguments += piece.arguments;
    const news = piece.arguments !== "" || (!known && call.name !== "");
    return call === this.calls[0] && news ? [{ kind: "call", name: call.name, text: piece.arguments }] : [];
  }

  /**
   * The call that a piece belongs to; undefined for the first piece of a new one. Numbers may have gaps, all be the
   * same, or be missing: then a new id, or a name after there was one, begins a new call.
   */
  private callOf({ index, id, name }: CallPiece): OpenCall | undefined {
    const sameId = id === "" ? undefined : this.calls.find((call) => call.id === id);
    if (sameId) return sameId;
    const sameNumber = this.calls.findLast((call) => call.index === index);
    if (!sameNumber) return undefined;
    if (id !== "") return name === "" ? sameNumber : undefined;
    return index === undefined && name !== "" ? undefined : sameNumber;
  }
}

/** Nine letters and digits, which is what the strictest servers take. */
function newId(): string {
  return `c${crypto.randomUUID().slice(0, 8)}`;
}
