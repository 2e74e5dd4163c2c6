import * as vscode from "vscode";
import { isUriPath } from "../../core/base/uri-path.ts";
import type { findAddressTrouble } from "../../memory/shared/shared-logs.ts";
import { findSharingPlace, type SharingPlace, splitPassword } from "../../memory/shared/sharing.ts";
import type { SettingChanges } from "../../models/provider-settings.ts";
import { findRemoteAddress } from "../../node/git/author.ts";
import type { Settings } from "../../schema/settings.ts";
import { fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";

/** A server that the user has named, before anything is sent to it. */
export interface NamedServer {
  readonly place: SharingPlace;
  /** The settings that name the server. */
  readonly settings: SettingChanges;
  /** The project name that the user entered for this folder; absent if the settings or the git remote supply it. */
  readonly named?: string;
  /** The password that was in the address. */
  readonly secret?: string;
}

/** The folder whose memory is shared. */
export interface SharedFolder {
  readonly path: string;
  /** The project's name that the user has entered for it, or "". */
  readonly named: string;
  /** Adds the folder's name to a title if several are open. */
  formatTitle(title: string): string;
}

/** Checks an address before connecting. */
export type CheckAddress = typeof findAddressTrouble;

/** The servers that are offered. Milvus isn't built in any more. */
type ServerName = Exclude<Parameters<CheckAddress>[0], "milvus">;

const EXAMPLES: Readonly<Record<ServerName, string>> = {
  postgres: "postgres://user@host:5432/database",
  redis: "rediss://user@host:6379",
  pinecone: "https://api.pinecone.io/index",
};

/** The server that the settings name; undefined if they name none, or one that can't be used. */
export async function findServerInSettings(
  folder: SharedFolder,
  { memory }: Settings,
  check: CheckAddress,
): Promise<NamedServer | undefined> {
  const { backend, url } = memory;
  if (backend === "local" || (backend !== "plugin" && check(backend, url) !== undefined)) return undefined;
  const place = resolveSharingPlace(memory, await findRemoteAddress(folder.path), folder.named);
  return place && { place, settings: {} };
}

/** Uses the settings' project, else the git remote's, else the name that the user entered for the folder. */
export function resolveSharingPlace(
  memory: Settings["memory"],
  remote: string | undefined,
  named: string,
): SharingPlace | undefined {
  return findSharingPlace(memory, remote) ?? findSharingPlace({ ...memory, project: named }, undefined);
}

/** Asks for any unknown server kind, address or project. Undefined when the user cancels. */
export async function askServer(
  folder: SharedFolder,
  { memory }: Settings,
  check: CheckAddress,
): Promise<NamedServer | undefined> {
  if (isUriPath(folder.path)) return fail("runs.share.virtual");
  const backend = await askBackend(folder);
  if (!backend) return undefined;
  const entered = await askAddress(folder, backend, backend === memory.backend ? memory.url : "", check);
  if (entered === undefined) return undefined;
  const { url, secret } = splitPassword(entered);
  const given = { ...memory, backend, url };
  const known = findSharingPlace(given, await findRemoteAddress(folder.path));
  const place = known ?? resolveSharingPlace(given, undefined, (await askProject(folder)) ?? "");
  if (!place) return undefined;
  return {
    place,
    settings: { "memory.backend": backend, "memory.url": url },
    ...(known ? {} : { named: place.project }),
    ...(secret === "" ? {} : { secret }),
  };
}

async function askBackend(folder: SharedFolder): Promise<ServerName | undefined> {
  const rows = [
    { label: t("runs.share.files"), description: t("runs.share.filesDetail"), backend: undefined },
    { label: t("runs.share.postgres"), description: t("runs.share.postgresDetail"), backend: "postgres" },
    { label: t("runs.share.redis"), description: t("runs.share.redisDetail"), backend: "redis" },
    { label: t("runs.share.pinecone"), description: t("runs.share.pineconeDetail"), backend: "pinecone" },
  ] as const;
  const picked = await vscode.window.showQuickPick(rows, {
    title: folder.formatTitle(t("runs.share.whereTitle")),
    placeHolder: t("runs.share.where"),
    ignoreFocusOut: true,
  });
  if (picked && picked.backend === undefined) await vscode.commands.executeCommand("autogpt.saveNote", folder.path);
  return picked?.backend;
}

function askAddress(
  folder: SharedFolder,
  backend: ServerName,
  value: string,
  check: CheckAddress,
): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: folder.formatTitle(t("runs.share.addressTitle")),
    prompt: t("runs.share.addressPrompt"),
    placeHolder: EXAMPLES[backend],
    value,
    ignoreFocusOut: true,
    validateInput: (text) => findAddressProblem(backend, splitPassword(text).url, check),
  });
}

/** The problem with an entered address. Problems from the settings name a setting, which the user doesn't see here. */
function findAddressProblem(backend: ServerName, url: string, check: CheckAddress): string | undefined {
  const example = { example: EXAMPLES[backend] };
  if (backend === "postgres" && isHostMissing(url)) return t("runs.share.badAddress", example);
  const problem = check(backend, url);
  if (problem === undefined || typeof problem === "string") return problem;
  switch (problem.code) {
    case "trouble.sharedUrl":
      return t("runs.share.badAddress", example);
    case "trouble.sharedUrlSecret":
      return t("runs.share.addressSecret");
    case "trouble.sharedNotEncrypted":
      return t("runs.share.addressUnencrypted");
    case "trouble.sharedNotEncryptedBy":
      return t("runs.share.addressScheme", { prefix: String(problem.parameters?.prefix) });
    default:
      return write(problem);
  }
}

/** True for `postgres://` and `postgres://ada@/shop`; an address of a socket names its folder as a parameter. */
function isHostMissing(url: string): boolean {
  return /^\w+:\/\/(?:[^/@?]*@)?(?:[/?]|$)/.test(url) && !/[?&]host=/.test(url);
}

function askProject(folder: SharedFolder): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    value: folder.named,
    title: folder.formatTitle(t("runs.share.projectTitle")),
    prompt: t("runs.share.projectPrompt"),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? t("runs.share.noProject") : undefined),
  });
}
