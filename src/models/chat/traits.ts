import type { ModelTraits, ReasoningEffort } from "../../core/ports/model.ts";
import { parseBillions } from "../catalog/model-size.ts";
import { type Dialect, isEffort } from "./dialect.ts";

type EditForm = ModelTraits["edits"];

/** Models by name, from published measurements; docs/decisions/0019-edit-formats.md has the figures. The first matching row applies. */
const BY_NAME: readonly (readonly [EditForm, RegExp])[] = [
  ["diff", /gpt-oss/],
  ["whole", /gpt-3\.5|gpt-4o-mini|gpt-(4\.1|5)-nano/],
  ["diff", /^gpt-4-(turbo|1106|0125)|^gpt-4\.1|^gpt-([5-9]|\d\d)|^codex|^o[34]/],
  ["whole", /llama|gemma|\bphi|smollm|codestral|ministral|mistral-(small|nemo|7b)|mixtral|command-r|granite/],
  ["whole", /\byi\b|qwen-?2|qwq|starcoder/],
];

/** Larger models reliably use a form that quotes the text to replace. */
const SMALL_BILLIONS = 34;

/** The form in which a model writes edits best. `model`: the plain name in lower case. */
function chooseEditForm(model: string): EditForm {
  const named = BY_NAME.find(([, names]) => names.test(model));
  if (named) return named[0];
  return (parseBillions(model) ?? Number.POSITIVE_INFINITY) <= SMALL_BILLIONS ? "whole" : "replace";
}

/** A model's reasoning: its default, its server's parameters, and the user's setting. */
interface ReasoningOptions {
  readonly dialect: Pick<Dialect, "reasoning" | "efforts" | "thinkingOff">;
  readonly reasons: boolean;
  readonly effort: ReasoningEffort | undefined;
}

/** The traits of a model. `model`: the plain name in lower case. */
export function getModelTraits(model: string, options: ReasoningOptions): ModelTraits {
  return { reasons: isReasoningOn(options), edits: chooseEditForm(model) };
}

/** Whether an effort turns reasoning on, or off if a server supports only on and off. */
function isReasoningOn({ dialect, reasons, effort }: ReasoningOptions): boolean {
  const { reasoning, efforts, thinkingOff } = dialect;
  if (reasoning === "none" || !isEffort(effort) || thinkingOff === "never") return reasons;
  if (effort !== "minimal" && effort !== "none") return true;
  const turnsOff = reasoning !== "reasoning_effort" && reasoning !== "reasoning.effort";
  return reasons && !turnsOff && efforts[effort] !== "none";
}
