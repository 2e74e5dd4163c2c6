import { omitUndefined } from "../../core/base/objects.ts";
import { decodeEscapes } from "../../core/base/uri-path.ts";
import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Git } from "../../core/ports/programs.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  createOlderNameTable,
  getNumberArgument,
  getRequiredText,
  getTextArgument,
} from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { createFailure, createSuccess, IN_THE_WAY } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import { explainWithheldGit, type GitDependencies } from "./repository.ts";

/** Fetches a repository into a new folder. */
export function cloneRepository(parts: GitDependencies): Command {
  return {
    name: "clone_repository",
    aliases: ["git_clone", "clone_repo"],
    category: "git",
    effect: "network",
    traits: {
      titles: [{ code: "CloneRepository", address: "url" }],
      question: { code: "clone", address: "url" },
      rank: 320,
    },
    description: "Clones a git repository into a new folder. No password in the address; git uses the user's setup.",
    parameters: createObjectSchema(
      {
        url: { type: "string", minLength: 1 },
        folder: {
          type: "string",
          minLength: 1,
          description: "The new folder.",
        },
        branch: { type: "string", minLength: 1, pattern: "^[^-\\s][^\\s]*$" },
        depth: { type: "integer", minimum: 1 },
      },
      ["url"],
    ),
    argumentAliases: createOlderNameTable({
      url: "repository_url repo_url repository repo",
      folder: "clone_path directory path destination target",
    }),
    withheld: () => explainWithheldGit(parts),
    prepare: (args) => prepare(parts, args),
  };
}

async function prepare({ workspace, git }: GitDependencies, args: Args): Promise<PreparedCall | Outcome> {
  if (!git) return createFailure("Git is not available.");
  const remote = parseRemote(getRequiredText(args, "url"));
  if (typeof remote === "string") return createFailure(remote);
  const place = await workspace.locate(getTextArgument(args, "folder") ?? remote.name, "new");
  if (place.kind !== "missing")
    return createFailure(`"${place.label}" already exists. Name a folder that is not.`, IN_THE_WAY);
  const [branch, depth] = [getTextArgument(args, "branch"), getNumberArgument(args, "depth")];
  const parts = [
    `Clone ${remote.url}`,
    branch === undefined ? "" : `, branch ${branch}`,
    depth === undefined ? "" : `, the last ${depth} of its commits`,
    ` into "${place.label}" (${place.path}). Its submodules, hooks and filters are left out.`,
  ];
  return createPreparedCall(
    "network",
    parts.join(""),
    (running) => clone(workspace, git, { remote, place, branch, depth }, running),
    {
      hosts: [remote.host],
      touches: [createTouch(place, "write")],
      fresh: () => isAsSeen(workspace, place),
    },
  );
}

async function clone(
  workspace: Workspace,
  git: Git,
  wanted: {
    readonly remote: Remote;
    readonly place: ResolvedPath;
    readonly branch: string | undefined;
    readonly depth: number | undefined;
  },
  { signal, output }: { readonly signal: AbortSignal; output(chunk: string): void },
): Promise<Outcome> {
  const { remote, place, branch, depth } = wanted;
  const answer = await git.clone({
    url: remote.url,
    target: place.path,
    ...omitUndefined({ branch, depth }),
    signal,
    reportOutput: output,
  });
  if (!answer.ok)
    return createFailure(
      `${remote.url} was not cloned. ${answer.why} Check the address; if it needs a login, ask the user to set one up for git.`,
    );
  const { labels, more } = await workspace.list(await workspace.locate(place.path), { limit: 100, signal });
  const cloned = `Cloned ${remote.url} into "${place.label}". It holds:\n${labels.join("\n")}${more ? "\n…" : ""}`;
  const summary = displayText("results.clonedInto", { path: place.label });
  return { ...createSuccess(cloned, summary), source: { kind: "download", name: remote.url } };
}

/** A repository on another machine. */
interface Remote {
  readonly url: string;
  /** In lower case. */
  readonly host: string;
  /** Name of its new folder. */
  readonly name: string;
}

const USE_HTTPS = 'Give an address like "https://github.com/owner/name".';

/** Parses an address from which git may fetch, or explains in a sentence why it may not. */
function parseRemote(address: string): Remote | string {
  const given = address.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are forbidden
  if (/[\s\x00-\x1f\x7f]/.test(given)) return `The address holds white space. ${USE_HTTPS}`;
  const short = /^([\w.-]+)@([\w.-]+):(?!\/\/)(.+)$/.exec(given);
  if (short) return createRemote(given, short[2] ?? "", short[3] ?? "");
  const url = URL.parse(given) ?? (/^[\w-]+(\.[\w-]+)+\/.+/.test(given) ? URL.parse(`https://${given}`) : null);
  if (!url || !["https:", "http:", "ssh:", "git:"].includes(url.protocol))
    return `Only https, http, ssh and git addresses are cloned. ${USE_HTTPS}`;
  if (url.password !== "" || (url.username !== "" && url.protocol !== "ssh:"))
    return "The address holds a name or a password, which would stay in the repository's settings. Leave it out; git asks the user's own credential helper.";
  if (url.hostname === "" || url.hostname.startsWith("-")) return `The address names no host. ${USE_HTTPS}`;
  return createRemote(url.href, url.hostname, url.pathname);
}

function createRemote(url: string, host: string, path: string): Remote | string {
  const name =
    path
      .replace(/\/+$/, "")
      .replace(/\.git$/, "")
      .split("/")
      .at(-1) ?? "";
  return /^[\w][\w. -]*$/.test(decodeEscapes(name)) && !host.startsWith("-")
    ? { url, host: host.toLowerCase(), name: decodeEscapes(name) }
    : `The address names no repository. ${USE_HTTPS}`;
}
