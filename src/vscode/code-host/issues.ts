import type { Issue } from "../../code-host/code-host.ts";
import { SignedOutError } from "../../code-host/failures.ts";
import { type QuotedIssue, quoteIssue } from "../../code-host/issue-text.ts";
import { findNamedIssue, type NamedIssue, type RemoteRepository } from "../../code-host/remotes.ts";
import { fail } from "../../texts/display-text.ts";
import { findLikelyFolder } from "../workspace/folders.ts";
import type { CodeSessions } from "./sessions.ts";

const READ_MS = 30_000;
const LIST_MS = 5_000;
/** How long a list is offered while a person types. */
const KEPT_MS = 60_000;
const MOST_OFFERED = 20;

/** An issue that is offered while a person types. */
export interface OfferedIssue {
  readonly number: number;
  readonly title: string;
}

/** The issues that were listed last. */
interface OfferedList {
  readonly folder: string | undefined;
  readonly at: number;
  readonly issues: Promise<readonly OfferedIssue[]>;
}

/** Issues of the repository that the folder's remotes name. */
export class EditorIssues {
  private readonly sessions: CodeSessions;
  private listed: OfferedList | undefined;

  constructor(sessions: CodeSessions) {
    this.sessions = sessions;
  }

  /** Reads an issue that the user's text mentions. What is public needs no sign-in. Throws a sentence. */
  async read(name: string): Promise<QuotedIssue> {
    const named = await findNamedIssue(name, this.sessions.listServers(), () => this.findRepository());
    if (!named) return fail("codehost.noIssueName", { name });
    return quoteIssue(await this.readSignedIn(named));
  }

  private async readSignedIn(issue: NamedIssue): Promise<Issue> {
    const read = async (signIn: "quietly" | "ask" | "again"): Promise<Issue> =>
      (await this.sessions.open(issue.repository, signIn)).readIssue(issue, AbortSignal.timeout(READ_MS));
    const isSignedIn = (await this.sessions.findToken(issue.repository.server, "quietly")) !== "";
    return read("quietly").catch((error: unknown) => {
      if (!isSignedIn) return read("ask");
      return error instanceof SignedOutError ? read("again") : Promise.reject(error);
    });
  }

  /** Open issues whose number or title contains a text. Empty if they can't be read now, and nothing is asked. */
  async suggest(typed: string): Promise<readonly OfferedIssue[]> {
    const folder = findLikelyFolder();
    if (!this.listed || this.listed.folder !== folder || Date.now() - this.listed.at > KEPT_MS)
      this.listed = { folder, at: Date.now(), issues: this.list().catch(() => []) };
    const wanted = typed.toLowerCase();
    const issues = await this.listed.issues;
    return issues
      .filter(({ number, title }) => `${number} ${title}`.toLowerCase().includes(wanted))
      .slice(0, MOST_OFFERED);
  }

  private async list(): Promise<readonly OfferedIssue[]> {
    const host = await this.sessions.open(await this.findRepository(), "quietly");
    return host.listIssues(AbortSignal.timeout(LIST_MS));
  }

  private async findRepository(): Promise<RemoteRepository> {
    const { remotes } = await this.sessions.readLocal(findLikelyFolder(), AbortSignal.timeout(READ_MS));
    return remotes[0]?.repository ?? fail("codehost.noRemote");
  }
}
