import { userInfo } from "node:os";
import { harmlessGit } from "./git.ts";
import { repositoryAround } from "./repository.ts";

const PATIENCE_MS = 5_000;

/** The name under which the user commits in a folder, or the name of the system's user; "" if neither is known. */
export async function authorName(folder: string): Promise<string> {
  const named = await configured(folder, "user.name").catch(() => "");
  return named === "" ? systemName() : named;
}

/** The address of the remote `origin` of the repository around a folder; undefined if there is none. */
export async function remoteAddress(folder: string): Promise<string | undefined> {
  const address = await configured(folder, "remote.origin.url").catch(() => "");
  return address === "" ? undefined : address;
}

/** A value of git's configuration; "" if there is none. */
async function configured(folder: string, name: string): Promise<string> {
  const repository = await repositoryAround(folder);
  if (!repository) return "";
  const git = await harmlessGit(repository, AbortSignal.timeout(PATIENCE_MS));
  if ("why" in git) return "";
  const answer = await git(["config", name]);
  return answer.ok ? answer.text.trim() : "";
}

function systemName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}
