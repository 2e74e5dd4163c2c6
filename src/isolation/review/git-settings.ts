import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isAtOrBelow, isBelow } from "../../disk/below.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { createHarmlessGit } from "../../node/git/git.ts";
import { findRepositoryAround } from "../../node/git/repository.ts";

/** Git settings whose values are programs, or paths of more settings. */
const RUNNING =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand|attributesfile)|filter\..*\.(?:clean|smudge|process)|diff\.(?:.*\.)?(?:command|textconv|external)|merge\..*\.driver|(?:merge|diff|gui)tool\..*|alias\..*|credential\..*helper|gpg\..*|pager\..*|sequence\.editor|include(?:if\..*)?\.path|init\.templatedir|interactive\.difffilter|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack)|submodule\..*\.update|trailer\..*\.(?:cmd|command)|browser\..*|man\..*|hook\..*\.command|hook\..*|sendemail\..*)$/;
/** Settings that name a folder; everything in that folder counts. */
const FOLDERS = /hookspath$|templatedir$|^include/;

/** Finds paths that git would run, according to the settings of the user and of the repositories around these folders. */
export async function findFilesRunByGit(
  origins: readonly string[],
  signal: AbortSignal,
): Promise<(path: string) => boolean> {
  const tests = await Promise.all(origins.map((origin) => createRunByGitTest(origin, signal)));
  return (path) => tests.some((test) => test(path));
}

async function createRunByGitTest(origin: string, signal: AbortSignal): Promise<(path: string) => boolean> {
  const repository = await findRepositoryAround(origin);
  const git = repository && (await createHarmlessGit(repository, signal));
  if (!repository || !git || "why" in git) return () => false;
  const answer = await git(["config", "--list", "-z"]);
  const settings = (answer.ok ? answer.text : "").split("\0").flatMap((entry) => {
    const [key = "", ...value] = entry.split("\n");
    return RUNNING.test(key.toLowerCase()) ? [{ key: key.toLowerCase(), value: value.join("\n") }] : [];
  });
  return (path) => settings.some((setting) => hasPathAsSetting(setting, path, repository));
}

function hasPathAsSetting(
  { key, value }: { readonly key: string; readonly value: string },
  path: string,
  { root, gitFolder }: { readonly root: string; readonly gitFolder: string },
): boolean {
  if (!isBelow(path, root)) return false;
  if (key.startsWith("alias.") && !value.startsWith("!")) return false;
  const words = value.split(/[\s"'`;|&()<>=!]+/).filter((word) => word !== "");
  const places = words.flatMap((word) => {
    const real = word.replace(/^~(?=\/)/, homedir()).replace(/^\$\{?(?:PWD|HOME|GIT_DIR)\}?\//, "./");
    return [root, gitFolder].map((from) => resolve(from, real));
  });
  if (FOLDERS.test(key)) return places.some((place) => place !== root && isAtOrBelow(path, place));
  const file = normalizeSlashes(path.slice(root.length + 1));
  const stem = file.replace(/(?<=[^/])\.\w+$/, "");
  const isPart = words.some((word) => word.endsWith(`/${file}`) || word === stem.replaceAll("/", "."));
  const started = [path, join(root, stem), ...(isIndex(file) ? [dirname(path)] : [])];
  return isPart || places.some((place) => place !== root && started.includes(place));
}

/** True for a file that is loaded when its folder is named. */
function isIndex(file: string): boolean {
  return /(?:^|\/)(?:index|__main__|__init__|package)\.\w+$/.test(file);
}
