import { IN_EDITOR, type NextSteps } from "./next-steps.ts";

/** Why a key cannot be sent, as a sentence that does not hold the key; undefined when it can. */
export function keyProblem(
  apiKey: string,
  server: string,
  need: "needed" | "optional",
  steps: NextSteps = IN_EDITOR,
): string | undefined {
  if (apiKey === "" && need === "needed")
    return `No API key is set for ${server}. To set one, ${steps.key}. A server that needs none accepts any word.`;
  return isSendable(apiKey)
    ? undefined
    : `The API key for ${server} contains characters that no key has, so something else was pasted with it. To change it, ${steps.key}.`;
}

/** True for a key that a header can carry. */
export function isSendable(apiKey: string): boolean {
  return /^[\x21-\x7e]*$/.test(apiKey);
}
