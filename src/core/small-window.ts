import type { Model, ReplyFormat } from "./ports.ts";
import { REPLY_FORMATS } from "./reply.ts";

/** Tools repeat the form of the thoughts with each command: below this many tokens that is too much. */
const SMALL_WINDOW = 32_000;

/** True where every token counts, so that commands are told in a line each. */
export function isSmallWindow(contextWindow: number): boolean {
  return contextWindow > 0 && contextWindow < SMALL_WINDOW;
}

/** The reply formats that a model may accept, best first; in a small window the ones that take less come before tools. */
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
