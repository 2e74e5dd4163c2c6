import { userInfo } from "node:os";
import { createHarmlessGit } from "./git.ts";
import { findRepositoryAround } from "./repository.ts";

const PATIENCE_MS = 5_000;

/** The name for the user's commits in a folder, or the system user's name; "" if neither is known. */
export async function findAuthorName(folder: string): Promise<string> {
  const named = await readConfigValue(folder, "user.name").catch(() => "");
  return named === "" ? getSystemName() : named;
}

/** The address of the remote `origin` of the repository around a folder; undefined if there is none. */
export async function findRemoteAddress(folder: string): Promise<string | undefined> {
  const address = await readConfigValue(folder, "remote.origin.url").catch(() => "");
  return address === "" ? undefined : address;
}

/** The address of a repository without a user or a password, for people. */
export function hidePassword(address: string): string {
  return address.replace(/^(\w+:\/\/)[^@/]*@/, "$1");
}

/** A value of git's configuration; "" if there is none. */
async function readConfigValue(folder: string, name: string): Promise<string> {
  const repository = await findRepositoryAround(folder);
  if (!repository) return "";
  const git = await createHarmlessGit(repository, AbortSignal.timeout(PATIENCE_MS));
  if ("why" in git) return "";
  const answer = await git(["config", name]);
  return answer.ok ? answer.text.trim() : "";
}

function getSystemName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}
