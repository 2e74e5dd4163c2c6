import { WebError } from "../../../core/ports/services.ts";
import { answerTrouble } from "../answer-trouble.ts";
import { getter } from "../get.ts";
import type { Reach } from "../reach.ts";

const SECONDS = 20;
const MOST_BYTES = 2_000_000;

/** Asks a search service that answers in JSON. Throws `WebError`. */
export async function jsonAnswer(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { reach, keyStep }: { readonly reach: Reach; readonly keyStep: string },
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await getter(reach)(url, {
    headers,
    most: MOST_BYTES,
    seconds: SECONDS,
    accept: "application/json",
    signal,
  });
  if (answer.status === 401 || answer.status === 403)
    throw new WebError(refused(url, answer.status, keyStep));
  const trouble = answerTrouble(answer);
  if (trouble) throw trouble;
  try {
    return JSON.parse(answer.body.bytes.toString("utf8"));
  } catch {
    throw new WebError(
      `The search service at ${url.host} did not answer in JSON. Ask the user to look at autogpt.web.searchUrl; work without a search until then.`,
    );
  }
}

function refused({ host }: URL, status: number, keyStep: string): string {
  return `The search service at ${host} rejects the key (${status}). The user can change it: ${keyStep}. Work without a search until then.`;
}
