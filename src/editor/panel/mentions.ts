import { quoteAsData } from "../../core/base/text.ts";
import type { MentionContext } from "../../schema/panel-messages.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import type { PromptFile } from "./start-page.ts";

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
}

const QUOTED =
  /(?<=^|[\s([{"'`])@(selection|problems|git|prompt:[\w.-]*\w|issue:(?:[\w.-]+\/[\w.-]+#|#)?\d{1,9})(?![\w-]|:\w+:)/g;
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
      return mention.startsWith("issue:")
        ? sources.readIssue(mention.slice("issue:".length))
        : sources.readPrompt(mention.slice("prompt:".length));
  }
}

const PROMPT = /(?<=^|[\s([{"'`])@prompt:([\w.-]*\w)(?![\w-])/g;

/** The title of a run whose typed task mentions prompt files: their descriptions, or their names, in place of the mentions. */
export function createMentionTitle(typed: string, prompts: readonly PromptFile[]): string {
  return typed
    .replace(PROMPT, (mention, name) => {
      const found = prompts.find((prompt) => prompt.name === name);
      return found ? found.description || found.name : mention;
    })
    .trim();
}

/** An input that a prompt file asks for, as VS Code writes it: `${input:name}` or `${input:name:placeholder}`. */
export interface PromptInput {
  readonly name: string;
  readonly placeholder: string;
}

const INPUT = /\$\{input:([\w.-]+)(?::([^}]*))?\}/g;

/** The inputs of a prompt file, each once, in order. */
export function listPromptInputs(text: string): readonly PromptInput[] {
  const found = new Map<string, string>();
  for (const [, name = "", placeholder = ""] of text.matchAll(INPUT)) found.set(name, found.get(name) || placeholder);
  return [...found].map(([name, placeholder]) => ({ name, placeholder }));
}

/** Puts the user's values into a prompt file. An input without a value stays as it is. */
export function fillPromptInputs(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(INPUT, (whole, name) => values.get(name) ?? whole);
}
