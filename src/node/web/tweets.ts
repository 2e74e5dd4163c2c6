import { type TweetPublisher, WebError } from "../../core/ports/services.ts";
import { type OAuthKeys, oauthHeader } from "./oauth.ts";

/** Where keys for X are stored under. */
export const X_ADDRESS = "https://api.x.com";
const SECONDS = 30;

/** Posts on X by its API, version 2. `keyStep` says how the user changes the keys, as part of a sentence. */
export function xTweets(keys: OAuthKeys, keyStep: string, address = X_ADDRESS): TweetPublisher {
  const host = new URL(address).hostname;
  return {
    name: "X",
    host,
    async post(text, signal) {
      const url = `${address}/2/tweets`;
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: oauthHeader(keys, { method: "POST", address: url }),
        },
        body: JSON.stringify({ text }),
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(SECONDS * 1000)]),
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new WebError(
          `${host} could not be reached. Nobody knows whether it is published; do not repeat it.`,
          {
            cause: error,
          },
        );
      });
      const id = response.ok ? idIn(await response.json().catch(() => undefined)) : undefined;
      if (id === undefined) throw new WebError(refusal(host, response.status, keyStep));
      return `https://x.com/i/status/${id}`;
    },
  };
}

function idIn(answer: unknown): string | undefined {
  const data = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : undefined;
  const id = typeof data === "object" && data !== null && "id" in data ? data.id : undefined;
  return typeof id === "string" ? id : undefined;
}

function refusal(host: string, status: number, keyStep: string): string {
  switch (status) {
    case 401:
      return `${host} rejects the keys. The user can change them: ${keyStep}. Nothing was published.`;
    case 403:
      return `${host} does not allow it: the text may have been published before, or the app may only read. Nothing was published.`;
    case 429:
      return `${host} takes no more posts for now. Nothing was published; try again in a quarter of an hour.`;
    default:
      return `${host} answered ${status}. Look whether it is published before you try again.`;
  }
}
