import { type Command, type Prepared, prepared } from "../../core/command.ts";
import type { Git } from "../../core/machine-ports.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Place, Workspace } from "../../core/ports.ts";
import { type Args, number, objectSchema, requiredText, text } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { failed } from "../outcomes.ts";
import { touchOf } from "../touch.ts";
import { type GitParts, gitWithheld } from "./git-parts.ts";
import { type Remote, remoteOf } from "./remote.ts";

/** Fetches a repository into a new folder. */
export function cloneRepository(parts: GitParts): Command {
  return {
    name: "clone_repository",
    aliases: ["git_clone", "clone_repo"],
    category: "git",
    effect: "network",
    description:
      "Clones a git repository into a new folder of the workspace. Give the address without a password; git uses what the user has set up.",
    parameters: objectSchema(
      {
        url: { type: "string", minLength: 1, description: 'Like "https://github.com/owner/name".' },
        folder: {
          type: "string",
          minLength: 1,
          description: "The new folder; the repository's name if left out.",
        },
        branch: { type: "string", minLength: 1, pattern: "^[^-\\s][^\\s]*$" },
        depth: { type: "integer", minimum: 1, description: "Only so many commits of its history." },
      },
      ["url"],
    ),
    argumentAliases: {
      ...{ repository_url: "url", repo_url: "url", repository: "url", repo: "url" },
      ...{
        clone_path: "folder",
        directory: "folder",
        path: "folder",
        destination: "folder",
        target: "folder",
      },
    },
    withheld: () => gitWithheld(parts),
    prepare: (args) => prepare(parts, args),
  };
}

async function prepare({ workspace, git }: GitParts, args: Args): Promise<Prepared | Outcome> {
  if (!git) return failed("Git is not available.");
  const remote = remoteOf(requiredText(args, "url"));
  if (typeof remote === "string") return failed(remote);
  const place = await workspace.locate(text(args, "folder") ?? remote.name, "new");
  if (place.kind !== "missing")
    return failed(`"${place.label}" is there already. Name a folder that is not.`);
  const [branch, depth] = [text(args, "branch"), number(args, "depth")];
  const parts = [
    `Clone ${remote.url}`,
    branch === undefined ? "" : `, branch ${branch}`,
    depth === undefined ? "" : `, the last ${depth} of its commits`,
    ` into "${place.label}" (${place.path}). Its submodules, hooks and filters are left out.`,
  ];
  return prepared(
    "network",
    parts.join(""),
    (running) => clone(workspace, git, { remote, place, branch, depth }, running),
    {
      hosts: [remote.host],
      touches: [touchOf(place, "write")],
      fresh: () => isAsSeen(workspace, place),
    },
  );
}

async function clone(
  workspace: Workspace,
  git: Git,
  wanted: {
    readonly remote: Remote;
    readonly place: Place;
    readonly branch: string | undefined;
    readonly depth: number | undefined;
  },
  { signal, output }: { readonly signal: AbortSignal; output(chunk: string): void },
): Promise<Outcome> {
  const { remote, place, branch, depth } = wanted;
  const answer = await git.clone({
    url: remote.url,
    target: place.path,
    ...(branch === undefined ? {} : { branch }),
    ...(depth === undefined ? {} : { depth }),
    signal,
    output,
  });
  if (!answer.ok)
    return failed(
      `${remote.url} was not cloned. ${answer.why} Check the address; if it needs a login, ask the user to set one up for git.`,
    );
  const { labels, more } = await workspace.list(await workspace.locate(place.path), { limit: 100, signal });
  return {
    status: "done",
    output: `Cloned ${remote.url} into "${place.label}". It holds:\n${labels.join("\n")}${more ? "\n…" : ""}`,
    source: { kind: "download", name: remote.url },
  };
}
