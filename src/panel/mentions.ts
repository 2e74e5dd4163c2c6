import { quoteAsData } from "../core/base/text.ts";
import type { MentionContext } from "../schema/panel-messages.ts";
import { DisplayError, displayText } from "../texts/display-text.ts";

/** All kinds of context, in the order of the list that offers them. */
const CONTEXTS: readonly MentionContext[] = [
  "selection",
  "problems",
  "git",
  "file",
  "folder",
  "terminal",
  "url",
  "prompt",
];

/** A mention as far as it is typed: all kinds of context, or one kind with the rest of its name. */
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

/** The kinds of context that what is typed can be the beginning of. */
export function filterContexts(
  typed: string,
  available: ReadonlySet<MentionContext>,
): readonly MentionContext[] {
  return CONTEXTS.filter((kind) => available.has(kind) && kind.startsWith(typed.toLowerCase()));
}

const MAX_FOLDERS = 8;

/** The folders of files that hold a text in their path, the shortest first. */
export function findFoldersByPath(
  query: string,
  files: readonly string[],
  most = MAX_FOLDERS,
): readonly string[] {
  const wanted = query.toLowerCase();
  const folders = new Set<string>();
  for (const file of files)
    for (let at = file.indexOf("/"); at !== -1; at = file.indexOf("/", at + 1))
      folders.add(file.slice(0, at + 1));
  return [...folders]
    .filter((folder) => folder.toLowerCase().includes(wanted))
    .toSorted((one, other) => one.length - other.length || one.localeCompare(other))
    .slice(0, most);
}

/** Text that a mention adds to a task or message, quoted as data. */
export interface MentionedText {
  /** Its origin, as the model reads it. */
  readonly source: string;
  readonly text: string;
}

/** Looks up the texts of mentions; undefined where there is nothing to add. */
export interface MentionSources {
  readSelection(): Promise<MentionedText | undefined>;
  readProblems(): Promise<MentionedText | undefined>;
  readGitChanges(): Promise<MentionedText | undefined>;
  readPrompt(name: string): Promise<MentionedText | undefined>;
}

const QUOTED = /(?<=^|[\s([{"'`])@(selection|problems|git|prompt:[\w.-]*\w)(?![\w-]|:\w+:)/g;
const MAX_CHARS = 16_000;

/** A task or message with the texts that it mentions below it. Throws a sentence for a mention of nothing. */
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
      return sources.readPrompt(mention.slice("prompt:".length));
  }
}

/** A task without the texts that its mentions have added. */
export function removeMentionedTexts(task: string): string {
  return task.split(/\n\n@(?:selection|problems|git|\S+:\S+):\n=+ begin data from /, 1)[0] ?? task;
}
