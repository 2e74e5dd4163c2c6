import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText, writeInEnglish } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, getRequiredText } from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import {
  catchServiceErrors,
  explainMissingService,
  findService,
  isMissing,
  type ServiceDependencies,
} from "./services.ts";

const LONGEST = 280;

/** Publishes a post under the user's name. */
export function sendTweet(parts: ServiceDependencies): Command {
  return {
    name: "send_tweet",
    aliases: ["tweet", "post_tweet"],
    category: "media",
    effect: "network",
    traits: { titles: [{ code: "PublishPost" }], question: { code: "post" }, rank: 350 },
    description: "Publishes a post on X (Twitter) in the user's name.",
    parameters: createObjectSchema({ tweet_text: { type: "string", minLength: 1 } }, ["tweet_text"]),
    argumentAliases: {
      text: "tweet_text",
      tweet: "tweet_text",
      message: "tweet_text",
      content: "tweet_text",
    },
    withheld: () => explainMissingService(findService(parts, "tweets")),
    prepare: (args) => prepare(parts, args),
  };
}

async function prepare(parts: ServiceDependencies, args: Args): Promise<PreparedCall | Outcome> {
  const tweets = findService(parts, "tweets");
  if (isMissing(tweets)) return createFailure(writeInEnglish(tweets.missing));
  const tweet = getRequiredText(args, "tweet_text").trim();
  if (tweet === "") return createFailure("The text is empty. Say what to publish.");
  const length = measureTweetLength(tweet);
  if (length > LONGEST)
    return createFailure(`The text counts ${length} characters; X takes ${LONGEST} at most. Make it shorter.`);
  return createPreparedCall(
    "network",
    `Publish on ${tweets.name}, under your name, for everybody to read:\n\n${tweet}`,
    ({ signal }) =>
      catchServiceErrors(async () => {
        const address = await tweets.post(tweet, signal);
        return createSuccess(`Published: ${address}`, displayText("results.postedAt", { address }));
      }),
    { hosts: [tweets.host], publishes: true },
  );
}

/** Length as X counts it: 23 for an address, 1 for a letter of most European scripts, 2 for any other. */
function measureTweetLength(tweet: string): number {
  const withoutLinks = tweet.replace(/https?:\/\/\S+/g, "x".repeat(23)).normalize("NFC");
  const isLight = (code: number): boolean =>
    code <= 0x10ff ||
    (code >= 0x2000 && code <= 0x200d) ||
    (code >= 0x2010 && code <= 0x201f) ||
    (code >= 0x2032 && code <= 0x2037);
  return [...withoutLinks].reduce((sum, letter) => sum + (isLight(letter.codePointAt(0) ?? 0) ? 1 : 2), 0);
}
