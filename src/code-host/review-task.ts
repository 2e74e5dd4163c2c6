import { quoteAsData } from "../core/base/text.ts";
import { writeInEnglish } from "../texts/display-text.ts";
import type { PullRequest, ReviewThread } from "./code-host.ts";
import { cutEnd } from "./issue-text.ts";
import { type CodeServer, nameRequest } from "./servers.ts";

const LONGEST_COMMENT = 2_000;
const LONGEST_REPLY = 4_000;

/**
 * The task of a run that answers review comments, each by a change or a reply. The comments are others' text: they are quoted, with their
 * addresses as the sources.
 */
export function composeReviewTask(
  { number: counted }: PullRequest,
  server: CodeServer,
  threads: readonly ReviewThread[],
): string {
  const { request, number } = nameRequest(server, counted);
  const blocks = threads.map(({ file, line, comments, address }, at) => {
    const place = line === undefined ? file : `${file}, line ${line}`;
    const said = comments.map(({ author, body }) => `${author}:\n${cutEnd(body, LONGEST_COMMENT)}`);
    return `@comment:${at + 1}:\n${quoteAsData([`On ${place}`, ...said].join("\n\n"), address.replace(/\s/g, ""))}`;
  });
  return [
    `Answer the review comments of ${writeInEnglish(request)} ${number}, quoted below, each by a change or by a reply.`,
    "Where a comment is right, change the code. Where it isn't, or where it asks something, don't change anything for it. You can't post replies: I send them. So in the summary at the end, write for each comment one paragraph that begins with its number, such as:",
    "Reply to comment 1: Done, the parser now keeps the line.",
    "Don't commit or push.",
    ...blocks,
  ].join("\n\n");
}

/** A reply that a run has drafted. */
export interface DraftedReply {
  readonly thread: ReviewThread;
  readonly text: string;
}

const REPLY = /^[ \t>*_#-]{0,20}Reply to comment (\d{1,3})[*_]*\s*:[*_]*/gim;

/** The replies in a run's summary, one for each comment at most. */
export function readReplies(summary: string, threads: readonly ReviewThread[]): readonly DraftedReply[] {
  const marks = [...summary.matchAll(REPLY)];
  const texts = new Map(
    marks.map((mark, at) => {
      const text = summary.slice(mark.index + mark[0].length, marks[at + 1]?.index).trim();
      return [Number(mark[1]), text.slice(0, LONGEST_REPLY)] as const;
    }),
  );
  return threads.flatMap((thread, at) => {
    const text = texts.get(at + 1) ?? "";
    return text === "" ? [] : [{ thread, text }];
  });
}
