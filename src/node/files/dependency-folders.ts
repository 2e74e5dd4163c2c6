import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Folders that package managers fill, anywhere, and regardless of whether git ignores them. */
const ALWAYS = /^(?:node_modules|bower_components|__pypackages__|\.pnpm-store|\.tox|\.nox|site-packages)$/;

/** Folders that package managers and compilers fill, if git ignores them. */
const IF_IGNORED =
  /^(?:\.?venv|target|vendor|Pods|Carthage|\.gradle|\.bundle|deps|_build|elm-stuff|\.dart_tool|\.stack-work|dist-newstyle|\.eggs|\.m2)$/;

/** Without git, files beside or inside a folder that identify its kind. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  target: ["../Cargo.toml", "../pom.xml", "CACHEDIR.TAG"],
  vendor: ["../composer.json", "../Gemfile"],
  Pods: ["../Podfile"],
  deps: ["../mix.exs"],
  _build: ["../mix.exs"],
};

/** True for the absolute path of a folder with dependencies or a compiler's files. */
export function isDependencyFolder(path: string, known?: "ignored"): boolean {
  const name = basename(path);
  if (ALWAYS.test(name) || existsSync(join(path, "pyvenv.cfg"))) return true;
  if (!IF_IGNORED.test(name)) return false;
  return known === "ignored" || (SIGNS[name] ?? []).some((sign) => existsSync(resolveSignPath(path, sign)));
}

function resolveSignPath(path: string, sign: string): string {
  return sign.startsWith("../") ? join(dirname(path), sign.slice(3)) : join(path, sign);
}

/** The folder of dependencies that contains a path, judging by its name alone; undefined if there is none. */
export function findDependencyFolder(path: string): string | undefined {
  const names = path.split("/");
  const at = names.slice(0, -1).findIndex((name) => ALWAYS.test(name));
  return at === -1 ? undefined : names.slice(0, at + 1).join("/");
}
