import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
} from "@modelcontextprotocol/client";
import { assertNever } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import type { RunContext } from "../../core/commands/command.ts";
import { addShownPictures, type Outcome, type Source, showPictures } from "../../core/commands/outcome.ts";
import { CapturedOutput } from "../../node/processes/captured-output.ts";
import { getOutputFile } from "../../node/processes/outputs.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { PluginPrompt, PluginRun } from "../plugin.ts";

/** Longer results are stored in a file, and the model reads the beginning and the end. */
const LONGEST_TEXT = 40_000;
/** Converts a tool's answer to an outcome. Links aren't followed, and everything counts as data from the server. */
export async function convertResult(
  { content = [], structuredContent, isError }: CallToolResult,
  {
    run,
    running,
    source,
    tool,
  }: {
    readonly run: PluginRun;
    readonly running: Pick<RunContext, "step" | "showPicture">;
    readonly source: Source;
    readonly tool: string;
  },
): Promise<Outcome> {
  const datas = content.flatMap((block) => findPicture(block) ?? []);
  const given = datas.map((data, index) => ({ name: `${tool} ${index + 1}`, data }));
  const shown = await showPictures(running.showPicture, given);
  const named = shown.values();
  const texts = content.map((block) => (findPicture(block) ? (named.next().value?.text ?? "") : formatBlock(block)));
  const hasText = texts.some((text) => text.trim() !== "");
  if (structuredContent !== undefined && !(hasText && hasSameContent(texts, structuredContent)))
    texts.push(JSON.stringify(structuredContent, undefined, 1));
  const text = await fitText(texts.join("\n").trim() || "(The tool returned nothing.)", run, running.step);
  return addShownPictures(
    isError ? { status: "failed", error: text, source } : { status: "done", output: text, source, ...summarize(texts) },
    shown,
  );
}

/** The first line of a result, for the row of its step. */
function summarize(texts: readonly string[]): { readonly summary?: DisplayText } {
  const line = texts.flatMap((text) => text.split("\n")).find((one) => one.trim() !== "");
  if (line === undefined) return {};
  return { summary: displayText("results.tool", { text: cutText(escapeInvisible(line.trim()), LONGEST_SUMMARY) }) };
}

const LONGEST_SUMMARY = 120;

/** Servers often give a structured result as text, too. */
function hasSameContent(texts: readonly string[], structured: unknown): boolean {
  const packed = JSON.stringify(structured).replace(/\s+/g, "");
  const only = isObject(structured) ? Object.values(structured) : [];
  return texts.some((text) => text.replace(/\s+/g, "") === packed || (only.length === 1 && only[0] === text));
}

/** The content of a picture, which may also be in a resource. */
function findPicture(block: ContentBlock): Uint8Array | undefined {
  if (block.type === "image") return Buffer.from(block.data, "base64");
  if (block.type !== "resource" || !("blob" in block.resource)) return undefined;
  const { blob, mimeType = "" } = block.resource;
  return /^image\/(?!svg)/i.test(mimeType) ? Buffer.from(blob, "base64") : undefined;
}

function formatBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
      return `[picture, ${escapeInvisible(block.mimeType)}]`;
    case "audio":
      return `[audio, ${escapeInvisible(block.mimeType)}, ${block.data.length} characters of base64; not kept]`;
    case "resource": {
      const { resource } = block;
      return `[resource ${escapeInvisible(resource.uri)}]\n${formatPart(resource)}`;
    }
    case "resource_link":
      return `[link to "${escapeInvisible(block.name)}": ${escapeInvisible(block.uri)}; it wasn't read]`;
    default:
      return assertNever(block);
  }
}

/** The limit for a resource that a task mentions, since every prompt contains it. */
const LONGEST_RESOURCE = 50_000;

/** The texts of a resource. Other data is only named. */
export function formatResource({ contents }: ReadResourceResult): string {
  const texts = contents.map((part) =>
    contents.length === 1 ? formatPart(part) : `[resource ${escapeInvisible(part.uri)}]\n${formatPart(part)}`,
  );
  const text = texts.join("\n") || "(It is empty.)";
  // Making characters visible makes a text longer.
  const shown = escapeInvisible(text.slice(0, LONGEST_RESOURCE));
  return text.length <= LONGEST_RESOURCE && shown.length <= LONGEST_RESOURCE
    ? shown
    : `${shown.slice(0, LONGEST_RESOURCE)}\n[The rest of ${text.length} characters is omitted.]`;
}

function formatPart(part: ReadResourceResult["contents"][number]): string {
  if ("text" in part) return part.text;
  const type = part.mimeType === undefined ? "" : `${escapeInvisible(part.mimeType)}, `;
  return `[${type}${part.blob.length} characters of base64; not kept]`;
}

async function fitText(text: string, { home, redact }: PluginRun, step: number): Promise<string> {
  if (text.length <= LONGEST_TEXT) return text;
  const captured = new CapturedOutput(getOutputFile(home, step), redact);
  const PIECE = 1_000_000;
  for (let at = 0; at < text.length; at += PIECE) await captured.add(Buffer.from(text.slice(at, at + PIECE)));
  const { output, bytes } = await captured.finish();
  return `${output}\n[The result has ${bytes} bytes. Read all of it with read_file, filename "output:${step}".]`;
}

/** A task template for the user to pick. */
export function convertPrompt({ name, title, description, arguments: asked = [] }: Prompt): PluginPrompt {
  return {
    name,
    description: cutText(escapeInvisible(description ?? title ?? ""), MAX_WORDS),
    arguments: asked.map((argument) => ({
      name: argument.name,
      description: cutText(escapeInvisible(argument.description ?? ""), MAX_WORDS),
      isRequired: argument.required === true,
    })),
  };
}

const MAX_WORDS = 300;
const MAX_PROMPT_CHARS = 20_000;

/** The text of a template. Only text becomes a part of the task. */
export function extractPromptText({ messages }: GetPromptResult): string {
  const texts = messages.flatMap(({ content }) => (content.type === "text" ? [content.text] : []));
  return cutText(texts.join("\n\n").trim(), MAX_PROMPT_CHARS);
}
