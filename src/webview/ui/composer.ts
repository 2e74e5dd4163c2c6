import type { MentionContext, OwnCommandOffer } from "../../schema/panel-messages.ts";
import type { ComposerPicture } from "../../schema/saved-panel.ts";
import type { Sentence } from "../../texts/display-text.ts";

/** Matches for a mention other than files. */
interface OtherMatches {
  readonly terminals?: readonly string[] | undefined;
  readonly contexts?: readonly MentionContext[] | undefined;
  readonly folders?: readonly string[] | undefined;
  /** Names of prompt files. */
  readonly prompts?: readonly string[] | undefined;
  readonly issues?: readonly { readonly number: number; readonly title: string }[] | undefined;
  /** Resources of MCP servers, as they are mentioned. */
  readonly resources?: readonly string[] | undefined;
  /** Commands of one's own. */
  readonly commands?: readonly OwnCommandOffer[] | undefined;
}

/** The context offered for a mention. */
export interface FileOffer extends OtherMatches {
  readonly mention: FileMention;
  /** Undefined while the search runs. */
  readonly files?: readonly string[];
  /** Index of the one that Enter inserts. */
  readonly active: number;
}

/** The content of the user's text box. */
export interface ComposerState {
  readonly text: string;
  readonly pictures?: readonly ComposerPicture[];
  readonly offer?: FileOffer;
  /** Where its text comes from, until it's sent or removed. */
  readonly note?: Sentence;
  /** Its text replaces an earlier message of the displayed run. `before`: the text that it covers. */
  readonly editing?: { readonly seq: number; readonly before: ComposerState };
}

export const EMPTY_COMPOSER: ComposerState = { text: "" };

/** The state after an edit or a move of the caret. An offer stays while the same mention is being typed. */
export function updateTypedText(composer: ComposerState, text: string, caret: number): ComposerState {
  const mention = findMentionBeforeCaret(text, caret);
  const { offer } = composer;
  const { note, ...others } = omitOffer(composer);
  const isOver = text === "" && !composer.editing;
  const rest = isOver || note === undefined ? others : { ...others, note };
  if (!mention) return { ...rest, text };
  if (offer?.mention.start !== mention.start) return { ...rest, text, offer: { mention, active: 0 } };
  return {
    ...rest,
    text,
    offer: { ...offer, mention, active: offer.mention.query === mention.query ? offer.active : 0 },
  };
}

/** The state after files were found for a query; files for an older query are ignored. */
export function setFoundFiles(
  composer: ComposerState,
  query: string,
  files: readonly string[],
  others: OtherMatches = {},
): ComposerState {
  const { offer } = composer;
  const isOther = (offer?.mention.isCommand === true) !== (others.commands !== undefined);
  if (offer?.mention.query !== query || isOther) return composer;
  const { mention } = offer;
  return {
    ...composer,
    offer: { mention, files, ...others, active: 0 },
  };
}

/** The choices of an offer, in the order of the list. */
export function listMentionChoices(offer: FileOffer): readonly MentionChoice[] {
  const { contexts = [], terminals = [], folders = [], prompts = [], issues = [], resources = [], files = [] } = offer;
  const { commands = [] } = offer;
  return [
    ...commands.map((command) => ({ kind: "command", name: command.name, text: command.name, command }) as const),
    ...contexts.map((name) => ({ kind: name, name, text: CONTEXT_TEXTS[name] }) as const),
    ...terminals.map((name) => ({ kind: "terminal", name, text: `terminal:${name}` }) as const),
    ...folders.map((name) => ({ kind: "folder", name, text: name }) as const),
    ...prompts.map((name) => ({ kind: "prompt", name, text: `prompt:${name}` }) as const),
    ...issues.map(({ number, title }) => ({ kind: "issue", name: title, text: `issue:${number}` }) as const),
    ...resources.map((name) => ({ kind: "url", name, text: name }) as const),
    ...files.map((name) => ({ kind: "file", name, text: name }) as const),
  ];
}

/** Inserted text. With a colon at the end, the user continues with another choice. */
const CONTEXT_TEXTS: Readonly<Record<MentionContext, string>> = {
  file: "file:",
  folder: "folder:",
  selection: "selection",
  problems: "problems",
  git: "git",
  url: "url:",
  terminal: "terminal:",
  prompt: "prompt:",
  issue: "issue:",
};

/** One line of the list that is offered for a mention. */
export interface MentionChoice {
  readonly kind: MentionContext | "command";
  readonly name: string;
  /** The inserted text after the `@` or `/`. */
  readonly text: string;
  readonly command?: OwnCommandOffer;
}

/** True for a choice that names a kind of context, not one file or terminal. */
export function isContextChoice({ kind, text }: MentionChoice): boolean {
  return kind !== "command" && text === CONTEXT_TEXTS[kind];
}

/** True for a choice that only begins a mention. */
export function isOpenChoice({ text }: MentionChoice): boolean {
  return text.endsWith(":");
}

/** Moves up or down the list, which wraps around. */
export function moveActiveChoice(composer: ComposerState, by: number): ComposerState {
  const { offer } = composer;
  const count = offer ? listMentionChoices(offer).length : 0;
  if (!offer || count === 0) return composer;
  return { ...composer, offer: { ...offer, active: (offer.active + by + count) % count } };
}

/** The state without the edit of an earlier message: its text stays as a usual one, unless `before` is to come back. */
export function endEditing(composer: ComposerState, isCanceled: boolean): ComposerState {
  const { editing, note: _note, ...rest } = omitOffer(composer);
  if (!editing) return composer;
  return isCanceled ? editing.before : rest;
}

export function omitOffer({ offer: _offer, ...rest }: ComposerState): ComposerState {
  return rest;
}

/** Inserts a choice of the offer; undefined when there is none at that index. */
export function takeOffer(
  composer: ComposerState,
  index: number,
): { readonly composer: ComposerState; readonly caret: number; readonly choice: MentionChoice } | undefined {
  const { offer } = composer;
  const choice = offer && listMentionChoices(offer)[index];
  if (!choice) return undefined;
  const { text, caret } = completeMention(composer.text, offer.mention, choice.text, !isOpenChoice(choice));
  return { composer: { ...omitOffer(composer), text }, caret, choice };
}

/** The meaning of a key in the composer; undefined for one that types or moves the caret. */
export type KeyMeaning = "send" | "take" | "down" | "up" | "dismiss";

export function findKeyMeaning(
  { offer }: ComposerState,
  pressed: { readonly key: string; readonly shiftKey: boolean; readonly altKey: boolean },
): KeyMeaning | undefined {
  if (offer && pressed.key === "Escape") return "dismiss";
  if (offer && listMentionChoices(offer).length > 0) {
    if (pressed.key === "ArrowDown") return "down";
    if (pressed.key === "ArrowUp") return "up";
    if (pressed.key === "Tab" && !pressed.shiftKey) return "take";
    if (pressed.key === "Enter") return "take";
  }
  return pressed.key === "Enter" && !pressed.shiftKey && !pressed.altKey ? "send" : undefined;
}

/** A file's name that is being typed after an `@`, or a command's after the `/` that begins the text. */
export interface FileMention {
  /** Position of its `@` or `/`. */
  readonly start: number;
  readonly query: string;
  readonly isCommand?: true;
}

const LONGEST_QUERY = 100;

/** The mention that ends at the caret: an `@` at the beginning of a word, or a `/` at that of the text, followed by no space. */
export function findMentionBeforeCaret(text: string, caret: number): FileMention | undefined {
  const command = /^\s*\/([\p{L}\p{M}\p{N}_.:-]*)$/u.exec(text.slice(0, caret))?.[1];
  if (command !== undefined && command.length <= LONGEST_QUERY)
    return { start: caret - command.length - 1, query: command, isCommand: true };
  const match = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(0, caret));
  const query = match?.[1];
  if (query === undefined || query.length > LONGEST_QUERY || query.startsWith("url:")) return undefined;
  return { start: caret - query.length - 1, query };
}

/** Completes the mention, and returns the text with the caret after the path and a space. */
export function completeMention(
  text: string,
  mention: FileMention,
  path: string,
  isComplete = true,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(mention.start + 1 + mention.query.length);
  const sign = mention.isCommand ? "/" : "@";
  if (!isComplete)
    return { text: `${text.slice(0, mention.start)}@${path}${rest}`, caret: mention.start + 1 + path.length };
  const written = `${sign}${path}${/^\s/.test(rest) ? "" : " "}`;
  const caret = mention.start + written.length + (/^\s/.test(rest) ? 1 : 0);
  return { text: text.slice(0, mention.start) + written + rest, caret };
}
