import { findJsonObjects, isObject, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { type Completion, ENDLESS, type ModelDelta, type ToolCall, type Usage } from "../../core/ports/model.ts";
import type { Complaint } from "../http/error-response.ts";
import { NO_REASONING, type ReasoningField, ReasoningInProgress, type ReasoningPiece } from "./reasoning.ts";
import { cutRepeatedEnd, RunOn } from "./run-on.ts";
import { splitUnopenedThinking, type TaggedText, ThinkTags } from "./think-tags.ts";

/** An arriving piece of a tool call. */
export interface CallPiece {
  /** Undefined if the server doesn't number its calls. */
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly signature: string;
}

/** A piece of a reply; missing parts are "", empty or undefined. */
export interface Chunk {
  readonly model: string;
  /** The number of the piece's reply, if a server sends several. */
  readonly choice?: number | undefined;
  readonly text: string;
  /** True for a message, which may repeat earlier pieces. */
  readonly isMessage?: boolean;
  readonly reasoning: ReasoningPiece;
  /** The model refused for safety reasons; its explanation is part of the text. */
  readonly isRefusal: boolean;
  readonly calls: readonly CallPiece[];
  readonly finish: string;
  readonly usage: Usage | undefined;
  /** The cost of the call as reported by a gateway. */
  readonly costUsd: number | undefined;
  /** Set if this is an error and not a piece of a reply. */
  readonly complaint: Complaint | undefined;
}

/** An empty piece. */
export const NOTHING: Chunk = {
  model: "",
  text: "",
  reasoning: NO_REASONING,
  isRefusal: false,
  calls: [],
  finish: "",
  usage: undefined,
  costUsd: undefined,
  complaint: undefined,
};

/** Merges token counts. Some servers count the prompt in the first piece and the reply in the last, with zeros for the other. */
function mergeUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (!earlier || !later) return later ?? earlier;
  return {
    ...earlier,
    ...later,
    input: later.input || earlier.input,
    output: later.output || earlier.output,
  };
}

interface OpenCall {
  readonly index: number | undefined;
  /** "" if the server gave none. */
  id: string;
  name: string;
  arguments: string;
  signature: string;
  /** A later piece repeated its name. */
  isRepeated: boolean;
  /** The last piece of the arguments, as long as each piece begins with the previous one. */
  snapshot: string | undefined;
}

/** A streamed reply: takes pieces, returns deltas, and builds the completion at the end. */
export class ReplyInProgress {
  private text = "";
  /** All text that arrived. */
  private received = "";
  /** The number of the reply to read. */
  private choice: number | undefined;
  private readonly tags = new ThinkTags();
  private readonly reasoning = new ReasoningInProgress();
  private isRefusal = false;
  private readonly calls: OpenCall[] = [];
  /** The call of the last piece. */
  private open: OpenCall | undefined;
  private finish = "";
  private readonly repeats = new RunOn();
  private model = "";
  private usage: Usage | undefined;
  private costUsd: number | undefined;

  /** True once the server has sent the reason for the reply's end; nothing more is needed. */
  get finished(): boolean {
    return this.finish !== "";
  }

  /** True once only white space or repetitions arrive, without an end. */
  get runsOn(): boolean {
    return !this.finished && this.repeats.isEndless;
  }

  /** True once anything has arrived. */
  get begun(): boolean {
    return this.finished || this.text !== "" || this.reasoning.text !== "" || this.calls.length > 0;
  }

  /** Takes the next piece and returns its new content: text, or more of the first call. */
  add(chunk: Chunk): ModelDelta[] {
    this.model = chunk.model || this.model;
    this.usage = mergeUsage(this.usage, chunk.usage);
    this.costUsd = chunk.costUsd ?? this.costUsd;
    this.choice ??= chunk.choice;
    if (chunk.choice !== undefined && chunk.choice !== this.choice) return [];
    this.finish = chunk.finish || this.finish;
    this.isRefusal ||= chunk.isRefusal;
    this.reasoning.add(chunk.reasoning);
    const isRepeated = chunk.isMessage && this.received !== "" && chunk.text.startsWith(this.received);
    const text = isRepeated ? chunk.text.slice(this.received.length) : chunk.text;
    this.received += text;
    this.repeats.add(text + chunk.reasoning.text + chunk.calls.map((call) => call.arguments).join(""));
    const tagged = text === "" ? { text: "", reasoning: "" } : this.tags.add(text);
    return [
      ...createDeltas("reasoning", chunk.reasoning.text),
      ...this.addTagged(tagged),
      ...this.filterNewCalls(chunk).flatMap((piece, at) => this.addCall(this.addCallIndex(piece, at, chunk.calls))),
    ];
  }

  /**
   * Builds the whole reply. `model` is the name to use if the server reports none. `sendBack` lists the fields that the server requires
   * back. `from` is the name used to request the model.
   */
  buildCompletion(model: string, sendBack: readonly ReasoningField[], from?: string): Completion {
    this.addTagged(this.tags.takeRest());
    const { text, reasoning: unopened } = splitUnopenedThinking(this.text);
    const written = this.reasoning.text + unopened;
    const reasoning = (this.runsOn ? cutRepeatedEnd(written) : written).trim();
    const sentBack = this.calls.length === 0 ? undefined : this.reasoning.getPartsToSendBack(sendBack, from);
    const named = this.calls.filter(({ name, arguments: args }) => name + args !== "");
    const calls = named.length === 0 ? this.calls : named;
    return {
      text: this.runsOn ? cutRepeatedEnd(text) : text,
      calls: sortCalls(calls).map((call) => createToolCall(this.runsOn ? cutRepeatedArguments(call) : call)),
      ...(reasoning === "" ? {} : { reasoning }),
      ...omitUndefined({ sentBack }),
      finish:
        this.isRefusal && this.calls.length === 0 ? "content_filter" : this.finish || (this.runsOn ? ENDLESS : ""),
      model: this.model || model,
      ...omitUndefined({ usage: this.usage, costUsd: this.costUsd }),
    };
  }

  private addTagged({ text, reasoning }: TaggedText): ModelDelta[] {
    this.text += text;
    this.reasoning.text += reasoning;
    return [...createDeltas("reasoning", reasoning), ...createDeltas("text", text)];
  }

  /** The calls of a piece; for a message, without those that arrived before. */
  private filterNewCalls({ calls, isMessage }: Chunk): readonly CallPiece[] {
    const isKnown = ({ id, name, arguments: args }: CallPiece): boolean =>
      this.calls.some(
        (call) => call.name === name && call.arguments.trim() === args.trim() && (id === "" || id === call.id),
      );
    return isMessage ? calls.filter((piece) => !isKnown(piece)) : calls;
  }

  /** Unnumbered pieces of several calls continue the last calls in order. */
  private addCallIndex(piece: CallPiece, at: number, pieces: readonly CallPiece[]): CallPiece {
    const isPlain = pieces.every(({ index, id, name }) => index === undefined && id + name === "");
    const call = this.calls.length - pieces.length + at;
    return isPlain && pieces.length > 1 && call >= 0 ? { ...piece, index: call } : piece;
  }

  private addCall(piece: CallPiece): ModelDelta[] {
    if (piece.id + piece.name + piece.arguments + piece.signature === "") return [];
    const same = this.findCall(piece);
    if (same && isCopy(same, piece)) return [];
    const known = same && isNewCall(same, piece) ? undefined : same;
    const call = known ?? {
      index: piece.index,
      id: piece.id || (same?.id ?? ""),
      name: piece.name || (same?.name ?? ""),
      arguments: "",
      signature: "",
      isRepeated: false,
      snapshot: "",
    };
    if (!known) this.calls.push(call);
    else call.isRepeated ||= piece.name !== "";
    this.open = call;
    call.id ||= piece.id;
    const isCumulative = call.name !== "" && piece.name.startsWith(call.name);
    call.name = call.name === piece.name || isCumulative ? piece.name : call.name + piece.name;
    call.arguments += piece.arguments;
    const isSnapshot = call.snapshot !== undefined && piece.arguments.startsWith(call.snapshot);
    if (piece.arguments !== "") call.snapshot = isSnapshot ? piece.arguments : undefined;
    call.signature ||= piece.signature;
    const news = piece.arguments !== "" || (!known && call.name !== "");
    return call === this.calls[0] && news ? [{ kind: "call", name: call.name, text: piece.arguments }] : [];
  }

  /**
   * The call that a piece belongs to; undefined for the first piece of a new call. Indexes and IDs may be missing, repeated or shifted. A
   * piece without any continues the open call, and another name begins a new call.
   */
  private findCall({ index, id, name, arguments: args }: CallPiece): OpenCall | undefined {
    const { open } = this;
    const numbered = this.calls.findLast((call, at) => index !== undefined && (call.index ?? at) === index);
    if (id === "" && name === "") return numbered && (args === "" || !isWhole(numbered)) ? numbered : open;
    const isNamed = (call: OpenCall | undefined) => name === "" || call?.name === "" || call?.name === name;
    const sameId = this.calls.findLast((call) => id !== "" && call.id === id && isNamed(call));
    if (sameId) return sameId;
    const shifted = id === "" && open && (open.id !== "" || !isWhole(open)) ? open : undefined;
    const near = index === undefined ? open : (numbered ?? shifted);
    const isNameOpen = id === "" && near === numbered && near?.id !== "" && near?.arguments + args === "";
    if (isNameOpen) return near;
    if (!near || !isNamed(near)) return undefined;
    const isOther = id !== "" && name !== "" && near.id !== "";
    return isOther && (near.arguments === "" || isWhole(near)) ? undefined : near;
  }
}

/** True once the arguments contain a complete object with nothing after it. */
function isWhole(call: OpenCall): boolean {
  const { objects, cutOff } = findJsonObjects(call.arguments);
  return objects.length > 0 && !cutOff;
}

/** True if a piece repeats the whole call under its number. */
function isCopy(call: OpenCall, { index, id, arguments: args }: CallPiece): boolean {
  const isSame = id !== "" && id === call.id && index !== undefined && index === call.index;
  return isSame && args.trim() === call.arguments.trim() && isWhole(call);
}

/** True if a piece begins another call of the same ID and name. */
function isNewCall(call: OpenCall, piece: CallPiece): boolean {
  const isNamed = piece.name !== "" || call.isRepeated;
  return isNamed && /^\s*\{/.test(piece.arguments) && isWhole(call);
}

function createDeltas(kind: "text" | "reasoning", text: string): ModelDelta[] {
  return text === "" ? [] : [{ kind, text }];
}

/** Sorts calls by number, in case the server streamed a later one first. */
function sortCalls(calls: readonly OpenCall[]): readonly OpenCall[] {
  const isNumbered = calls.every(({ index }) => index !== undefined);
  return isNumbered ? calls.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0)) : calls;
}

/** Cuts a call's repeated arguments. */
function cutRepeatedArguments(call: OpenCall): OpenCall {
  return { ...call, arguments: cutRepeatedEnd(call.arguments) };
}

function createToolCall({ id, name, arguments: given, signature, snapshot }: OpenCall): ToolCall {
  // Some servers send all of the arguments so far in each piece.
  const isSnapshot = snapshot !== undefined && !isObject(tryJson(given)) && isObject(tryJson(snapshot));
  const args = isSnapshot ? snapshot : given;
  return { id: id || createCallId(), name, arguments: args, ...(signature === "" ? {} : { signature }) };
}

/** Creates an ID of nine letters and digits, which even the strictest servers accept. */
function createCallId(): string {
  return `c${crypto.randomUUID().slice(0, 8)}`;
}
