import { findJsonObjects } from "../../core/base/json.ts";
import { hasCallInText } from "../../core/reply/calls-in-text.ts";

/** A text and the reasoning that was taken from its tags. */
export interface TaggedText {
  readonly text: string;
  readonly reasoning: string;
}

const OPENING = /^\s*<(think|thinking)>/;
const NOTHING: TaggedText = { text: "", reasoning: "" };

/** Separates reasoning in `<think>` tags at the beginning of a streamed text from the rest. */
export class ThinkTags {
  private place: "start" | "inside" | "after" = "start";
  private closing = "";
  private held = "";

  /** Takes the next piece. Text that may be part of a tag is held back. */
  add(piece: string): TaggedText {
    if (this.place === "after") return { text: piece, reasoning: "" };
    this.held += piece;
    return this.place === "start" ? this.begin() : this.readInsideTag();
  }

  /** The held-back text at the end. */
  takeRest(): TaggedText {
    const { held, place } = this;
    this.held = "";
    return place === "inside" ? { text: "", reasoning: held } : { text: held, reasoning: "" };
  }

  private begin(): TaggedText {
    const opening = OPENING.exec(this.held);
    if (opening) {
      this.place = "inside";
      this.closing = `</${opening[1]}>`;
      this.held = this.held.slice(opening[0].length);
      return this.readInsideTag();
    }
    const begun = this.held.trimStart();
    if ("<thinking>".startsWith(begun) || "<think>".startsWith(begun)) return NOTHING;
    this.place = "after";
    return this.takeRest();
  }

  private readInsideTag(): TaggedText {
    const end = this.held.indexOf(this.closing);
    if (end === -1) {
      const sure = Math.max(0, this.held.length - this.closing.length + 1);
      const reasoning = this.held.slice(0, sure);
      this.held = this.held.slice(sure);
      return { text: "", reasoning };
    }
    const reasoning = this.held.slice(0, end);
    const text = this.held.slice(end + this.closing.length).trimStart();
    this.held = "";
    this.place = "after";
    return { text, reasoning };
  }
}

const UNOPENED = /^(?!\s*[{[`<])([\s\S]*?)<\/think(?:ing)?>\s*/;

/** Splits a text whose template opened the tag in the prompt, so the reply has only its end. In a call, it's a part of an argument. */
export function splitUnopenedThinking(text: string): TaggedText {
  const [whole = "", reasoning = ""] = UNOPENED.exec(text) ?? [];
  const isInCall = findJsonObjects(reasoning).cutOff || hasCallInText(reasoning);
  return isInCall ? { text, reasoning: "" } : { text: text.slice(whole.length), reasoning };
}
