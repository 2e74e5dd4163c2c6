import type { Issue } from "./code-host.ts";

/** Limits for an issue's text, in characters. */
const LONGEST_BODY = 8_000;
const LONGEST_COMMENT = 2_000;
const LONGEST_TITLE = 300;
const MOST_COMMENTS = 20;

/** A text to quote below a task, with its source as the model and the provenance read it. */
export interface QuotedIssue {
  readonly source: string;
  readonly text: string;
}

const TITLES = { issue: "Issue #", "pull request": "Pull request #", "merge request": "Merge request !" } as const;

/** An issue as untrusted text: title, author, description and the newest comments. Its source is its address. */
export function quoteIssue({ number, title, author, body, kind, address, comments }: Issue): QuotedIssue {
  const left = Math.max(0, comments.length - MOST_COMMENTS);
  const parts = [
    `${TITLES[kind]}${number}: ${cutEnd(title, LONGEST_TITLE)}`,
    `By ${author}`,
    cutEnd(body, LONGEST_BODY) || "[It has no description.]",
    ...(left > 0 ? [`[${left} earlier comments are omitted.]`] : []),
    ...comments.slice(-MOST_COMMENTS).map((one) => `Comment by ${one.author}:\n${cutEnd(one.body, LONGEST_COMMENT)}`),
  ];
  return { source: address, text: parts.join("\n\n") };
}

/** The beginning of a text, with a remark if it isn't all of it. */
export function cutEnd(text: string, most: number): string {
  const plain = text.replaceAll("\r\n", "\n").trim();
  return plain.length > most ? `${plain.slice(0, most)}\n[The rest is omitted.]` : plain;
}
