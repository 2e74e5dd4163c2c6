import { displayText, type Sentence, sentences } from "../../texts/display-text.ts";
import { objectsIn } from "../base/json.ts";
import {
  type Completion,
  type CompletionOptions,
  ENDLESS,
  type Model,
  ModelError,
  type ModelRequest,
  type ReplyFormat,
} from "../ports/model.ts";
import { REPLY_FORMATS, type Reply, type ThoughtStyle } from "./reply.ts";

type Notices = Pick<CompletionOptions, "notice">;

/** Selects the reply format for requests. */
export interface FormatSelector {
  readonly current: ReplyFormat;
  /** Switches to another format if that may help after a request in `asked` failed; otherwise throws the error. */
  afterTrouble(error: unknown, asked: ReplyFormat): void;
  /** The server answered. A notice says why another format is used from now on. */
  answered(notices?: Notices): void;
  /** Notes whether a reply could be read. One without end that couldn't be switches to another format. */
  heard(reply: Reply, finish: string, notices?: Notices): void;
  /** Switches to another format after a reply without end; false if none is left. */
  ranOn(notices?: Notices): boolean;
  /** Adapts to a window that turned out to be smaller. */
  fit(contextWindow: number): void;
}

const FORMAT_LABELS = {
  tools: displayText("trouble.formatTools"),
  jsonSchema: displayText("trouble.formatJsonSchema"),
  text: displayText("trouble.formatText"),
} as const satisfies Readonly<Record<ReplyFormat, Sentence>>;

/** After this many unreadable replies in a row, nothing enforces the format. */
const MOST_UNREADABLE = 2;

/** Goes through a model's formats, best first. A refusal switches for good; an unexplained error only if the next format works. */
export class FormatChoice implements FormatSelector {
  private formats: readonly ReplyFormat[];
  private index = 0;
  private unreadable = 0;
  private gaveUp: ModelError | undefined;
  private doubt: { readonly index: number; readonly error: ModelError } | undefined;

  constructor(formats: readonly ReplyFormat[]) {
    this.formats = formats;
  }

  get current(): ReplyFormat {
    return this.formats[this.index] ?? "text";
  }

  afterTrouble(error: unknown, asked: ReplyFormat): void {
    if (asked !== this.current) return;
    const isRefused = error instanceof ModelError && error.trouble === "format";
    const isUnexplained = error instanceof ModelError && error.isUnexplained;
    if (isUnexplained) this.doubt ??= { index: this.index, error };
    if ((isRefused || isUnexplained) && this.next()) {
      this.gaveUp ??= error;
      return;
    }
    const { doubt } = this;
    this.doubt = undefined;
    this.gaveUp = undefined;
    if (doubt) this.index = doubt.index;
    throw doubt && (isRefused || isUnexplained) ? doubt.error : error;
  }

  answered(notices?: Notices): void {
    const { gaveUp } = this;
    this.doubt = undefined;
    this.gaveUp = undefined;
    if (!gaveUp) return;
    const now = displayText("trouble.formatGivenUp", { format: FORMAT_LABELS[this.current] });
    notices?.notice?.(sentences(now, gaveUp.text), "warning");
  }

  heard(reply: Reply, finish: string, notices?: Notices): void {
    if (reply.kind === "unreadable" && finish === ENDLESS && this.ranOn(notices)) return;
    const isWrong = reply.kind === "unreadable" && !reply.cutOff && finish !== "content_filter";
    this.unreadable = isWrong ? this.unreadable + 1 : 0;
    if (this.unreadable < MOST_UNREADABLE) return;
    this.unreadable = 0;
    if (!this.next()) return;
    const format = FORMAT_LABELS[this.current];
    notices?.notice?.(displayText("trouble.formatUnread", { format }), "warning");
  }

  ranOn(notices?: Notices): boolean {
    if (!this.next()) return false;
    this.unreadable = 0;
    const format = FORMAT_LABELS[this.current];
    notices?.notice?.(displayText("trouble.formatEndless", { format }), "warning");
    return true;
  }

  fit(contextWindow: number): void {
    this.formats = formatsFor({ formats: this.formats.slice(this.index), contextWindow });
    this.index = 0;
  }

  /** Returns false if no other format is left. */
  private next(): boolean {
    if (this.index >= this.formats.length - 1) return false;
    this.index++;
    return true;
  }
}

/** Completes a request in the first format that the server accepts. */
export async function completeIn(
  formats: FormatSelector,
  model: Model,
  requestIn: (format: ReplyFormat) => ModelRequest,
  completing: CompletionOptions,
): Promise<Completion> {
  for (;;) {
    const format = formats.current;
    try {
      const completion = await model.complete(requestIn(format), completing);
      formats.answered(completing);
      const { finish, text } = completion;
      const isCut = finish === ENDLESS && objectsIn(text).objects.length === 0;
      if (!isCut || !formats.ranOn(completing)) return completion;
    } catch (error) {
      completing.signal.throwIfAborted();
      formats.afterTrouble(error, format);
    }
  }
}

/** Tools repeat the schema of the thoughts for each command, which is too much for smaller windows. */
const SMALL_WINDOW = 32_000;

/** True if every token counts, so that commands are described in one line each. */
export function isSmallWindow(contextWindow: number): boolean {
  return contextWindow > 0 && contextWindow < SMALL_WINDOW;
}

/** Reply formats that a model may accept, best first. In a small window the shorter ones come before tools. */
export function formatsFor({
  formats,
  contextWindow,
}: Pick<Model, "formats" | "contextWindow">): readonly ReplyFormat[] {
  const accepted = REPLY_FORMATS.filter((format) => formats.includes(format));
  if (!isSmallWindow(contextWindow)) return accepted;
  return [
    ...accepted.filter((format) => format !== "tools"),
    ...accepted.filter((format) => format === "tools"),
  ];
}

/** In windows up to this one, a reply with the full thoughts often has no room. */
const SHORT_THOUGHTS_WINDOW = 8_192;

/** How a model thinks aloud unless a setting says otherwise: briefly if it reasons by itself or its window is tiny. */
export function defaultThoughts({
  traits,
  contextWindow,
}: Pick<Model, "traits" | "contextWindow">): ThoughtStyle {
  const isTiny = contextWindow > 0 && contextWindow <= SHORT_THOUGHTS_WINDOW;
  return traits?.reasons || isTiny ? "short" : "full";
}
