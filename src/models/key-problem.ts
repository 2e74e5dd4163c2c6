import { IN_EDITOR, type NextSteps } from "./next-steps.ts";

/** Why a key cannot be sent, as a sentence that does not hold the key; undefined when it can. */
export function keyProblem(
  apiKey: string,
  server: string,
  need: "needed" | "optional",
  steps: NextSteps = IN_EDITOR,
): string | undefined {
  if (apiKey === "" && need === "needed")
    return `No API key is set for ${server}. To set one, ${steps.key}. A server that asks for none takes any word as its key.`;
  if (!/^[\x21-\x7e]*$/.test(apiKey))
    return `The API key for ${server} holds characters that no key has, so something else was pasted with it. To set it anew, ${steps.key}.`;
  return undefined;
}
