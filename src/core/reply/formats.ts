import { displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import { findJsonObjects } from "../base/json.ts";
import { COMMAND } from "../commands/command-traits.ts";
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
  /** Mere words in a reply in whole files end the run, unless the model got this form because it failed in its own. */
  readonly doWordsEnd: boolean;
  /** Switches to another format if that may help after a request in `asked` failed; otherwise throws the error. */
  handleTrouble(error: unknown, asked: ReplyFormat): void;
  /** Notes that the server answered. A notice explains why another format is used from now on. */
  handleAnswer(notices?: Notices): void;
  /** Notes whether a reply could be read. An endless reply that couldn't be read switches to another format. */
  handleReply(reply: Reply, finish: string, notices?: Notices): void;
  /** Switches to another format after an endless reply; false if none is left. */
  handleEndlessReply(notices?: Notices): boolean;
  /** Adapts to a window that turned out to be smaller. */
  fit(contextWindow: number): void;
}

const FORMAT_LABELS = {
  tools: displayText("trouble.formatTools"),
  jsonSchema: displayText("trouble.formatJsonSchema"),
  text: displayText("trouble.formatText"),
  files: displayText("trouble.formatFiles"),
} as const satisfies Readonly<Record<ReplyFormat, Sentence>>;

/** After this many unreadable replies in a row, the format evidently isn't enforced. */
const MOST_UNREADABLE = 2;

/** Limits on replies in whole files that aim at the end, and on those that only look. A small model hardly corrects itself after that. */
const MOST_FILES_REPLIES = 3;
const MOST_LOOKS = 6;

/** Tries a model's formats, best first. A refusal switches for good; an unexplained error only if the next format works. */
export class FormatChoice implements FormatSelector {
  private formats: readonly ReplyFormat[];
  private index = 0;
  private unreadable = 0;
  private readonly inFiles = { tries: 0, looks: 0 };
  private readonly learn: ((format: ReplyFormat) => void) | undefined;
  /** Replies in the last format couldn't be read, so the present one is kept once a reply in it can be. */
  private isTried = false;
  private gaveUp: ModelError | undefined;
  private doubt: { readonly index: number; readonly error: ModelError } | undefined;

  /**
   * `learn` keeps for later runs the first format whose replies can be read, after others couldn't. Nothing is kept for a model that begins
   * with whole files, because it's small and does worse in any other form.
   */
  constructor(formats: readonly ReplyFormat[], learn?: (format: ReplyFormat) => void) {
    this.formats = formats;
    this.learn = learn;
  }

  get current(): ReplyFormat {
    return this.formats[this.areFilesSpent ? this.index + 1 : this.index] ?? "text";
  }

  get doWordsEnd(): boolean {
    return this.formats[0] === "files";
  }

  handleTrouble(error: unknown, asked: ReplyFormat): void {
    if (asked !== this.current) return;
    const isRefused = error instanceof ModelError && error.trouble === "format";
    const isUnexplained = error instanceof ModelError && error.isUnexplained;
    if (isUnexplained) this.doubt ??= { index: this.index, error };
    if ((isRefused || isUnexplained) && this.advanceFormat("another request")) {
      this.gaveUp ??= error;
      return;
    }
    const { doubt } = this;
    this.doubt = undefined;
    this.gaveUp = undefined;
    if (doubt) this.index = doubt.index;
    throw doubt && (isRefused || isUnexplained) ? doubt.error : error;
  }

  handleAnswer(notices?: Notices): void {
    if (this.areFilesSpent) {
      this.index++;
      const format = FORMAT_LABELS[this.current];
      notices?.notice?.(displayText("trouble.filesGivenUp", { format }), "warning");
    }
    const { gaveUp } = this;
    this.doubt = undefined;
    this.gaveUp = undefined;
    if (!gaveUp) return;
    const now = displayText("trouble.formatGivenUp", { format: FORMAT_LABELS[this.current] });
    notices?.notice?.(joinSentences(now, gaveUp.text), "warning");
  }

  handleReply(reply: Reply, finish: string, notices?: Notices): void {
    if (this.current === "files") this.inFiles[isReadOnlyReply(reply) ? "looks" : "tries"] += 1;
    if (reply.kind === "unreadable" && finish === ENDLESS && this.handleEndlessReply(notices)) return;
    if (reply.kind === "proposal" && this.isTried) {
      this.isTried = false;
      if (this.formats[0] !== "files") this.learn?.(this.current);
    }
    const isWrong = reply.kind === "unreadable" && !reply.cutOff && finish !== "content_filter";
    this.unreadable = isWrong ? this.unreadable + 1 : 0;
    if (this.unreadable < MOST_UNREADABLE) return;
    this.unreadable = 0;
    if (!this.advanceFormat()) return;
    this.isTried = true;
    const format = FORMAT_LABELS[this.current];
    notices?.notice?.(displayText("trouble.formatUnread", { format }), "warning");
  }

  handleEndlessReply(notices?: Notices): boolean {
    if (!this.advanceFormat()) return false;
    this.isTried = true;
    this.unreadable = 0;
    const format = FORMAT_LABELS[this.current];
    notices?.notice?.(displayText("trouble.formatEndless", { format }), "warning");
    return true;
  }

  fit(contextWindow: number): void {
    this.formats = listPossibleFormats({ formats: this.formats.slice(this.index), contextWindow });
    this.index = 0;
  }

  /** True if so many replies were in whole files that the next request uses another format. */
  private get areFilesSpent(): boolean {
    const { tries, looks } = this.inFiles;
    const isLast = this.index >= this.formats.length - 1;
    return this.formats[this.index] === "files" && !isLast && (tries >= MOST_FILES_REPLIES || looks >= MOST_LOOKS);
  }

  /** Switches to the next format; false if none is left. A server accepts whole files wherever it accepts text. */
  private advanceFormat(why: "another request" | "another form" = "another form"): boolean {
    if (this.index >= this.formats.length - 1) return false;
    if (why === "another request" && this.formats[this.index + 1] === "files") return false;
    this.index++;
    return true;
  }
}

/** True for a reply that only looks at files or at what a command prints. */
function isReadOnlyReply(reply: Reply): boolean {
  if (reply.kind !== "proposal" || reply.next) return false;
  return reply.call.name === COMMAND.read || reply.call.name === COMMAND.shell;
}

/** Completes a request in the first format that the server accepts. */
export async function completeWithFormat(
  formats: FormatSelector,
  model: Model,
  requestIn: (format: ReplyFormat) => ModelRequest,
  completing: CompletionOptions,
): Promise<Completion> {
  for (;;) {
    const format = formats.current;
    try {
      const completion = await model.complete(requestIn(format), completing);
      formats.handleAnswer(completing);
      const { finish, text } = completion;
      const isCut = finish === ENDLESS && findJsonObjects(text).objects.length === 0;
      if (!isCut || !formats.handleEndlessReply(completing)) return completion;
    } catch (error) {
      completing.signal.throwIfAborted();
      formats.handleTrouble(error, format);
    }
  }
}

/** Models up to these billions of parameters write whole files better than calls, and get by with few commands. */
const WRITES_FILES = 4.5;
const LEAN = 9;

/** True for a small model on one of the user's servers. */
export function isLean({ billions, traits }: Pick<Model, "billions" | "traits">): boolean {
  return billions !== undefined && billions <= LEAN && traits?.isLocal === true;
}

/** The formats for a model if the user has set none: first the one known to work. For a larger model, whole files are the last resort. */
export function listUsualFormats(
  model: Pick<Model, "formats" | "contextWindow" | "billions" | "traits" | "learnedFormat">,
): readonly ReplyFormat[] {
  const { billions, learnedFormat } = model;
  const others = listPossibleFormats(model);
  const writesFiles = billions !== undefined && billions <= WRITES_FILES;
  const all: readonly ReplyFormat[] = writesFiles ? ["files", ...others] : [...others, "files"];
  if (learnedFormat === undefined || !all.includes(learnedFormat)) return all;
  return [learnedFormat, ...all.filter((format) => format !== learnedFormat)];
}

/** Tools repeat the schema of the thoughts for each command, which is too much for smaller windows. */
const SMALL_WINDOW = 32_000;

/** True if every token counts, so that commands are described in one line each. */
export function isSmallWindow(contextWindow: number): boolean {
  return contextWindow > 0 && contextWindow < SMALL_WINDOW;
}

/** Reply formats that a model may accept, best first. In a small window the shorter ones come before tools. */
export function listPossibleFormats({
  formats,
  contextWindow,
  ...size
}: Pick<Model, "formats" | "contextWindow" | "billions" | "traits">): readonly ReplyFormat[] {
  const accepted = REPLY_FORMATS.filter((format) => formats.includes(format));
  const files = formats.filter((format) => format === "files");
  const isFirst = formats[0] === "files";
  if (!isSmallWindow(contextWindow) && !isLean(size))
    return isFirst ? [...files, ...accepted] : [...accepted, ...files];
  return [
    ...(isFirst ? files : []),
    ...accepted.filter((format) => format !== "tools"),
    ...accepted.filter((format) => format === "tools"),
    ...(isFirst ? [] : files),
  ];
}

/** In windows up to this one, a reply with the full thoughts often has no room. */
const SHORT_THOUGHTS_WINDOW = 8_192;

/** How a model thinks aloud unless a setting says otherwise: briefly if it reasons by itself or its window is tiny. */
export function chooseDefaultThoughts(model: Pick<Model, "traits" | "contextWindow" | "billions">): ThoughtStyle {
  const { traits, contextWindow } = model;
  const isTiny = contextWindow > 0 && contextWindow <= SHORT_THOUGHTS_WINDOW;
  return traits?.reasons || isTiny || isLean(model) ? "short" : "full";
}
