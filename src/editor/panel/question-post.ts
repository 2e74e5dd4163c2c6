import { cutText, escapeInvisible } from "../../core/base/text.ts";
import type { Settings } from "../../schema/settings.ts";
import {
  DisplayError,
  displayText,
  fail,
  getErrorText,
  type Sentence,
  writeInEnglish,
} from "../../texts/display-text.ts";

/** A question that is sent: what it says, and a link that only opens its card. */
export interface PostedQuestion {
  /** Each is sent once. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly link: string;
}

/** Dependencies of sending questions. */
export interface PosterDependencies {
  /** The user's own settings; a workspace has no part in them. */
  getSettings(): Settings["notify"];
  /** The user's token for the origin of an address, if there is one. */
  findToken(url: string): Promise<string | undefined>;
  /** Leaves secrets out. */
  redact(text: string): Promise<string>;
  report(problem: Sentence): void;
  /** Milliseconds since 1970. */
  getNow(): number;
}

const MOST_TITLE = 100;
const MOST_TEXT = 500;
const MOST_IN_HOUR = 30;
const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 10_000;

/** Sends each question once to the address in the user's settings. Nothing of the answer is read, so that nothing can be decided there. */
export class QuestionPoster {
  private readonly parts: PosterDependencies;
  private readonly sent = new Set<string>();
  private times: readonly number[] = [];
  /** The last problem, in English, so that it's reported once. */
  private problem = "";

  constructor(parts: PosterDependencies) {
    this.parts = parts;
  }

  async post(question: PostedQuestion): Promise<void> {
    const settings = this.parts.getSettings();
    if (settings.url === "" || this.sent.has(question.id)) return;
    this.sent.add(question.id);
    try {
      const target = findTarget(settings);
      this.demandRoom();
      await this.send(target, await this.shorten(question));
      this.problem = "";
    } catch (error) {
      this.complain(getErrorText(error));
    }
  }

  private demandRoom(): void {
    const now = this.parts.getNow();
    this.times = this.times.filter((time) => now - time < HOUR_MS);
    if (this.times.length >= MOST_IN_HOUR) fail("review.notifyTooMany", { count: MOST_IN_HOUR });
    this.times = [...this.times, now];
  }

  private async shorten({ id, title, text, link }: PostedQuestion): Promise<PostedQuestion> {
    const prepare = async (whole: string, most: number): Promise<string> =>
      cutText(
        breakLinks(
          escapeInvisible(await this.parts.redact(whole))
            .replaceAll(/\s+/g, " ")
            .trim(),
        ),
        most,
      );
    return { id, link, title: await prepare(title, MOST_TITLE), text: await prepare(text, MOST_TEXT) };
  }

  private async send({ url, createBody }: Target, question: PostedQuestion): Promise<void> {
    const token = await this.parts.findToken(url.href);
    const headers = {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const body = JSON.stringify(createBody(question));
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // Looked up at each call, because the editor replaces it. A redirect could carry the token elsewhere.
    const request = { method: "POST", headers, body, signal, redirect: "manual" } as const;
    const response = await globalThis.fetch(url, request).catch((cause: unknown) => {
      throw new DisplayError(displayText("review.notifyUnreachable", { host: url.host }), { cause });
    });
    await response.body?.cancel();
    if (!response.ok) fail("review.notifyRefused", { host: url.host, status: String(response.status) });
  }

  private complain(problem: Sentence): void {
    const text = writeInEnglish(problem);
    if (text !== this.problem) this.parts.report(problem);
    this.problem = text;
  }
}

interface Target {
  readonly url: URL;
  createBody(question: PostedQuestion): Readonly<Record<string, unknown>>;
}

/** Reads the address. Throws a sentence for one that would send the question in the clear, or that names no topic. */
function findTarget({ url: address, format }: Settings["notify"]): Target {
  const url = URL.parse(address);
  const isPrivate = url?.protocol === "https:" || (url?.protocol === "http:" && OWN_MACHINE.test(url.hostname));
  if (!url || !isPrivate || url.username !== "" || url.password !== "") fail("review.notifyUrlWrong");
  switch (format === "auto" ? (KNOWN_HOSTS[url.hostname] ?? "json") : format) {
    case "slack":
      return { url, createBody: createSlackBody };
    case "ntfy":
      return createNtfyTarget(url);
    case "json":
      return { url, createBody: ({ title, text, link }) => ({ title, question: text, link }) };
  }
}

const OWN_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const KNOWN_HOSTS: Readonly<Record<string, "slack" | "ntfy">> = { "hooks.slack.com": "slack", "ntfy.sh": "ntfy" };

/** In Slack's text, only these characters begin mentions and links. */
function createSlackBody({ title, text, link }: PostedQuestion): Readonly<Record<string, unknown>> {
  const lines = [title, text, link].map((line) =>
    line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  );
  return { text: lines.join("\n"), mrkdwn: false, link_names: false, unfurl_links: false };
}

/** Publishes as JSON to the server's root, because a text in a header could add headers. */
function createNtfyTarget(address: URL): Target {
  const [, base = "/", topic = ""] = /^(.*\/)([^/]+)\/?$/.exec(address.pathname) ?? [];
  if (topic === "") fail("review.notifyTopicMissing");
  const url = new URL(base, address.origin);
  return { url, createBody: ({ title, text, link }) => ({ topic, title, message: text, click: link }) };
}

/** Programs make addresses in a text into links; only the card's own should be one. */
function breakLinks(text: string): string {
  return text.replaceAll("://", ": //");
}
