import { stripVTControlCharacters } from "node:util";
import { isObject, type Json } from "../../core/base/json.ts";
import { cutMiddle, formatCount } from "../../core/base/text.ts";

/** The most characters to show of one output. */
const MOST_CHARACTERS = 4000;

/** Text forms, the most readable first. */
const READABLE = ["text/plain", "text/markdown", "text/latex", "application/json", "text/html"] as const;

/** One form of an output. */
export interface OutputForm {
  readonly mime: string;
  /** Absent for bytes. */
  readonly text?: string;
  readonly bytes: number;
}

/** Formats an output in the notebook format as text. */
export function formatNotebookOutput(output: Json): string {
  switch (output.output_type) {
    case "stream":
      return shortenCellOutput(joinText(output.text));
    case "error":
      return formatErrorOutput(joinText(output.ename), joinText(output.evalue), joinText(output.traceback, "\n"));
    default:
      return formatOutputForms(isObject(output.data) ? Object.entries(output.data).map(readOutputForm) : []);
  }
}

/** Formats an exception: its traceback, which ends with its message, or only the message. */
export function formatErrorOutput(name: string, message: string, traceback: string): string {
  const text = `${name}: ${message}`;
  if (traceback.trim() === "") return shortenCellOutput(text);
  return shortenCellOutput(traceback.includes(message) ? traceback : `${traceback}\n${text}`);
}

/** The most readable form of an output, and the names of pictures and other non-text forms. */
export function formatOutputForms(forms: readonly OutputForm[]): string {
  const readable = READABLE.map((mime) => forms.find((form) => form.mime === mime)).find(
    (form) => form?.text !== undefined && form.text.trim() !== "",
  );
  const other = forms.filter(({ mime }) => !readable || /^(?:image|audio|video)\//.test(mime));
  return [
    ...(readable?.text === undefined ? [] : [shortenCellOutput(readable.text)]),
    ...other.map(({ mime, bytes }) => `[${mime}, ${formatCount(bytes)} bytes]`),
  ].join("\n");
}

/** Creates a form of an output from its bytes. */
export function createOutputForm(mime: string, data: Uint8Array): OutputForm {
  const bytes = data.byteLength;
  return isBinary(mime) ? { mime, bytes } : { mime, text: new TextDecoder().decode(data), bytes };
}

function isBinary(mime: string): boolean {
  return /^(?:image|audio|video)\/(?!svg)|^application\/(?:pdf|octet-stream)/.test(mime);
}

function readOutputForm([mime, value]: readonly [string, unknown]): OutputForm {
  const text = isObject(value) ? JSON.stringify(value) : joinText(value);
  return isBinary(mime)
    ? { mime, bytes: Math.floor((text.length * 3) / 4) }
    : { mime, text, bytes: Buffer.byteLength(text) };
}

/** Removes colors and cursor movements, which are for terminals. A progress bar leaves its last state. */
export function shortenCellOutput(text: string): string {
  const lines = stripVTControlCharacters(text).replaceAll("\r\n", "\n").trimEnd().split("\n");
  const plain = lines.map((line) => line.slice(line.replace(/\r$/, "").lastIndexOf("\r") + 1));
  return cutMiddle(plain.join("\n"), MOST_CHARACTERS, "\n[…]\n");
}

/** Joins text, which the format stores as a whole or in parts. */
function joinText(value: unknown, between = ""): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((part) => typeof part === "string").join(between) : "";
}
