import { quoteAsData } from "../../core/base/text.ts";
import type { OwnCommand } from "../../runtime/instructions/own-commands.ts";
import type { MentionContext, OwnCommandOffer } from "../../schema/panel-messages.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";

/** All kinds of context, in list order. */
const CONTEXTS: readonly MentionContext[] = [
  "selection",
  "problems",
  "git",
  "file",
  "folder",
  "terminal",
  "url",
  "prompt",
  "issue",
];

/** A partly typed mention: all kinds of context, or one kind with the rest of its name. */
export interface MentionQuery {
  readonly only?: MentionContext;
  readonly name: string;
}

export function mentionQuery(typed: string): MentionQuery {
  const colon = typed.indexOf(":");
  const word = typed.slice(0, Math.max(0, colon)).toLowerCase();
  const only = CONTEXTS.find((kind) => kind === word);
  return only ? { only, name: typed.slice(colon + 1) } : { name: typed };
}

/** The kinds of context that start with the typed text. */
export function filterContexts(typed: string, available: ReadonlySet<MentionContext>): readonly MentionContext[] {
  return CONTEXTS.filter((kind) => available.has(kind) && kind.startsWith(typed.toLowerCase()));
}

const MAX_COMMANDS = 30;

/** The commands whose names contain a text, those that begin with it first. */
export function findCommandOffers(query: string, commands: readonly OwnCommand[]): readonly OwnCommandOffer[] {
  const wanted = query.toLowerCase();
  const isFirst = ({ name }: OwnCommand): boolean => name.toLowerCase().startsWith(wanted);
  const found = commands.filter(({ name }) => name.toLowerCase().includes(wanted));
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))]
    .slice(0, MAX_COMMANDS)
    .map(({ name, description, hint, file }) => ({ name, description, hint, file }));
}

const MAX_FOLDERS = 8;

/** Folders of files whose path contains a text, the shortest first. */
export function findFoldersByPath(query: string, files: readonly string[], most = MAX_FOLDERS): readonly string[] {
  const wanted = query.toLowerCase();
  const folders = new Set<string>();
  for (const file of files)
    for (let at = file.indexOf("/"); at !== -1; at = file.indexOf("/", at + 1)) folders.add(file.slice(0, at + 1));
  return [...folders]
    .filter((folder) => folder.toLowerCase().includes(wanted))
    .toSorted((one, other) => one.length - other.length || one.localeCompare(other))
    .slice(0, most);
}

/** Text appended to a task or message for a mention, quoted as data. */
export interface MentionedText {
  /** Its origin, as the model reads it. */
  readonly source: string;
  readonly text: string;
}

/** Looks up the texts of mentions; undefined where there is nothing to add. */
export interface MentionSources {
  readSelection(): Promise<MentionedText | undefined>;
  readProblems(): Promise<MentionedText>;
  readGitChanges(): Promise<MentionedText | undefined>;
  readPrompt(name: string): Promise<MentionedText | undefined>;
  /** Throws a sentence if the issue can't be read. */
  readIssue(name: string): Promise<MentionedText>;
  /** The end of an earlier run. */
  readRun(id: string): Promise<MentionedText | undefined>;
}

const QUOTED =
  /(?<=^|[\s([{"'`])@(selection|problems|git|(?:prompt|run):[\w.-]*\w|issue:(?:(?:[\w.-]+(?:\/[\w.-]+)+)?[#!])?\d{1,9})(?![\w-]|:\w+:)/g;
const RUN = "run:";
const MAX_CHARS = 16_000;

/** Appends the mentioned texts to a task or message. Throws a sentence if a mention refers to nothing. */
export async function addMentionedTexts(text: string, sources: MentionSources): Promise<string> {
  const mentions = [...new Set([...text.matchAll(QUOTED)].map(([, mention = ""]) => mention))];
  const blocks: string[] = [];
  for (const mention of mentions) {
    const found = await readMentionedText(mention, sources);
    if (!found) throw new DisplayError(displayText("start.nothingMentioned", { mention: `@${mention}` }));
    blocks.push(mentionBlock(mention, found));
  }
  return [text, ...blocks].join("\n\n");
}

/** The text of a mention below a task or message. */
export function mentionBlock(mention: string, { source, text }: MentionedText): string {
  const shown = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}\n[The rest is omitted.]` : text;
  return `@${mention}:\n${quoteAsData(shown, source)}`;
}

function readMentionedText(mention: string, sources: MentionSources): Promise<MentionedText | undefined> {
  switch (mention) {
    case "selection":
      return sources.readSelection();
    case "problems":
      return sources.readProblems();
    case "git":
      return sources.readGitChanges();
    default:
      if (mention.startsWith(RUN)) return sources.readRun(mention.slice(RUN.length));
      return mention.startsWith("issue:")
        ? sources.readIssue(mention.slice("issue:".length))
        : sources.readPrompt(mention.slice("prompt:".length));
  }
}

/** The runs that a task mentions, by their ids. */
export function listMentionedRuns(task: string): readonly string[] {
  const mentions = [...task.matchAll(QUOTED)].map(([, mention = ""]) => mention);
  return mentions.filter((mention) => mention.startsWith(RUN)).map((mention) => mention.slice(RUN.length));
}

const PROMPT = /(?<=^|[\s([{"'`])@prompt:([\w.-]*\w)(?![\w-])/g;

/** The title of a run whose typed task mentions prompt files: their descriptions, or their names, in place of the mentions. */
export function createMentionTitle(
  typed: string,
  prompts: readonly Pick<OwnCommand, "name" | "description">[],
): string {
  return typed
    .replace(PROMPT, (mention, name) => {
      const found = prompts.find((prompt) => prompt.name === name);
      return found ? found.description || found.name : mention;
    })
    .trim();
}
