import type { GitHubTalk } from "../../code-host/github-talk.ts";
import { isObject } from "../../core/base/json.ts";
import type { FleetDecision } from "../../schema/fleet/decisions.ts";

/** The purpose of a job of GitHub Actions. */
export type ActionsRequest =
  | {
      readonly kind: "start";
      /** As the person wrote it; undefined if the issue is the task. */
      readonly task: string | undefined;
      readonly issue: number | undefined;
      readonly by: string;
    }
  | {
      readonly kind: "answer";
      /** The beginning of the hash of what was asked. */
      readonly hash: string;
      readonly answer: FleetDecision["answer"];
      /** ID of the comment. */
      readonly comment: number;
      readonly issue: number;
      readonly by: string;
    }
  /** Nothing is done. `replyTo`: the issue on which that is said, for a person who may answer. */
  | { readonly kind: "ignored"; readonly why: string; readonly replyTo?: number };

const PREFIX = /^\/autogpt(?=\s|$)\s*/;
const ANSWER = /^(?:(yes|no)\s+)?([0-9a-f]{8})(?:\s+([\s\S]+))?$/i;

/** The meaning of a comment; undefined if it isn't for the agent. */
function readActionsComment(
  body: string,
):
  | { readonly kind: "task"; readonly task: string | undefined }
  | { readonly kind: "answer"; readonly hash: string; readonly answer: FleetDecision["answer"] }
  | { readonly kind: "unclear"; readonly why: string }
  | undefined {
  const text = body.replaceAll("\r\n", "\n").trim();
  if (!PREFIX.test(text)) return undefined;
  const words = text.replace(PREFIX, "").trim();
  const [, choice = "", hash = "", more = ""] = ANSWER.exec(words) ?? [];
  const said = more.trim();
  if (hash !== "") {
    const answered = { kind: "answer", hash: hash.toLowerCase() } as const;
    if (choice === "") {
      if (said === "")
        return {
          kind: "unclear",
          why: "The answer has no words. Write yes or no before the number, or words after it.",
        };
      return { ...answered, answer: { kind: "said", text: said } };
    }
    if (choice.toLowerCase() === "no") return { ...answered, answer: { kind: "rejected", reason: said } };
    if (said !== "")
      return {
        kind: "unclear",
        why: "A yes is for exactly what was asked, so it can't have further words. Leave them out, or leave out the yes.",
      };
    return { ...answered, answer: { kind: "approved" } };
  }
  if (/^(?:yes|no)\b/i.test(words))
    return {
      kind: "unclear",
      why: "The answer doesn't say to which question. Write the number of the question behind yes or no.",
    };
  return { kind: "task", task: words === "" ? undefined : words };
}

/**
 * Reads the event that started the job, and checks on the server who is behind it: only people who may push count, never an app, never a
 * comment that was edited. What the workflow's own conditions say isn't relied on.
 */
export async function readActionsRequest(
  name: string,
  event: unknown,
  { talk, label }: { readonly talk: GitHubTalk; readonly label: string },
): Promise<ActionsRequest> {
  const sender = { login: readText(event, "sender", "login"), type: readText(event, "sender", "type") };
  const issue = readNumber(event, "issue", "number");
  switch (name) {
    case "workflow_dispatch": {
      const task = readText(event, "inputs", "task").trim();
      const wanted = Number(readText(event, "inputs", "issue").replace(/^#/, "")) || undefined;
      if (task === "" && wanted === undefined) return ignore("The dispatch names neither a task nor an issue.");
      const refused = await refuseStranger(talk, sender);
      return refused ?? { kind: "start", task: task === "" ? undefined : task, issue: wanted, by: sender.login };
    }
    case "issues": {
      if (readText(event, "action") !== "labeled" || readText(event, "label", "name") !== label)
        return ignore(`Only the label ${label} starts a run.`);
      const refused = await refuseStranger(talk, sender);
      return refused ?? { kind: "start", task: undefined, issue, by: sender.login };
    }
    case "issue_comment":
      return readCommentRequest(event, sender, talk);
    default:
      return ignore(`The event ${name || "without a name"} starts nothing.`);
  }
}

interface Sender {
  readonly login: string;
  readonly type: string;
}

async function readCommentRequest(event: unknown, sender: Sender, talk: GitHubTalk): Promise<ActionsRequest> {
  if (readText(event, "action") !== "created") return ignore("Only a new comment counts, not one that was edited.");
  const body = readText(event, "comment", "body");
  const meant = readActionsComment(body);
  if (!meant) return ignore("The comment isn't for AutoGPT.");
  const refused = await refuseStranger(talk, sender);
  if (refused) return refused;
  const comment = await talk.readComment(readNumber(event, "comment", "id") ?? 0);
  if (comment.isByBot || comment.author !== sender.login) return ignore("The comment isn't by the person who sent it.");
  if (comment.isEdited || comment.body !== body)
    return ignore("The comment was edited, so it doesn't count. Write a new one.");
  const { issue } = comment;
  if (issue !== readNumber(event, "issue", "number")) return ignore("The comment is on another issue.");
  if (meant.kind === "unclear") return { kind: "ignored", why: meant.why, replyTo: issue };
  if (meant.kind === "answer") return { ...meant, comment: comment.id, issue, by: sender.login };
  return { kind: "start", task: meant.task, issue, by: sender.login };
}

async function refuseStranger(talk: GitHubTalk, { login, type }: Sender): Promise<ActionsRequest | undefined> {
  if (login === "" || type !== "User") return ignore("Only people can have AutoGPT work, not apps.");
  return (await talk.canWrite(login))
    ? undefined
    : ignore(`${login} may not push to this repository, so nothing was done.`);
}

function ignore(why: string): ActionsRequest {
  return { kind: "ignored", why };
}

function readValue(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}

function readText(event: unknown, ...path: readonly string[]): string {
  const value = readValue(event, path);
  return typeof value === "string" ? value : "";
}

function readNumber(event: unknown, ...path: readonly string[]): number | undefined {
  const value = readValue(event, path);
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}
