import { createShellEnvironment } from "../processes/shell-environment.ts";

/** A git setting, as `git config` names it, and its value. */
export type GitSetting = readonly [key: string, value: string];

/** A file that is always empty. */
const NOTHING = process.platform === "win32" ? "NUL" : "/dev/null";

/** A marker setting. If git lists it, git reads settings from the environment, like version 2.31 and newer. */
const MARK = "autogpt.harmless";

/** Turns off everything that makes git run other programs, write while reading, or show files named in its settings. */
const HARMLESS: readonly GitSetting[] = [
  [MARK, "true"],
  ["core.fsmonitor", "false"],
  ["core.hooksPath", NOTHING],
  ["core.attributesFile", NOTHING],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.askPass", ""],
  ["core.alternateRefsCommand", ""],
  ["core.gitProxy", ""],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["diff.autoRefreshIndex", "false"],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  ["log.showSignature", "false"],
  ["gpg.program", "false"],
  ["gpg.openpgp.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.x509.program", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
  ["status.submoduleSummary", "false"],
  ["protocol.ext.allow", "never"],
  ["protocol.file.allow", "never"],
  ["init.templateDir", ""],
  ["http.followRedirects", "false"],
  ["safe.bareRepository", "explicit"],
  ["grep.fallbackToNoIndex", "false"],
  ["mailmap.file", ""],
  ["mailmap.blob", ""],
  ["advice.graftFileDeprecated", "false"],
];

/** A command line of git that takes what is pushed to a folder, and runs no hook of it: git passes none of its own settings on to it. */
export function createReceivingLine(): string {
  const own: readonly GitSetting[] = [
    ["receive.denyCurrentBranch", "refuse"],
    ["receive.autogc", "false"],
  ];
  return ["git", ...[...HARMLESS, ...own].map(([key, value]) => `-c '${key}=${value}'`), "receive-pack"].join(" ");
}

/** The sources that git may fetch from: any for a clone, none for reading. */
export type Fetching = "nothing" | "clone";

/** The environment for a git that runs no other program: this process's without `GIT_*`, and with settings that no file overrides. */
export function createGitEnvironment(
  base: Readonly<NodeJS.ProcessEnv>,
  more: readonly GitSetting[],
  fetching: Fetching,
): NodeJS.ProcessEnv {
  return {
    ...createHarmlessEnvironment(createShellEnvironment(base, []), more),
    GIT_LITERAL_PATHSPECS: "1",
    LC_ALL: "C.UTF-8",
    ...(fetching === "clone" ? CLONING : {}),
  };
}

const CLONING = {
  GIT_NO_LAZY_FETCH: "0",
  GIT_ALLOW_PROTOCOL: "https:http:ssh:git",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
} as const;

/** Keeps every git process in a command line from starting other programs and from fetching. */
export function createHarmlessEnvironment(
  base: Readonly<NodeJS.ProcessEnv>,
  more: readonly GitSetting[],
): NodeJS.ProcessEnv {
  const kept = Object.entries(base).filter(([name]) => !/^(?:GIT_|SSH_ASKPASS)/i.test(name));
  const settings = [...HARMLESS, ...more];
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(numbered),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GIT_PAGER: "cat",
    GIT_EDITOR: "false",
    GIT_NO_LAZY_FETCH: "1",
    // History is what the commits say, not what the repository puts in their place.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: NOTHING,
    GIT_ALLOW_PROTOCOL: "none",
    GIT_SSH_COMMAND: "false",
    GCM_INTERACTIVE: "never",
  };
}

/** Settings that name a driver's program, such as `filter.NAME.clean`. An empty value turns the driver off. */
const DRIVERS =
  /^(?:filter\..*\.(?:clean|smudge|process)|diff\.external|diff\..*\.(?:textconv|command)|merge\..*\.driver)$/is;

/** True if git has listed the marker, so that it reads settings from the environment. */
export function canReadEnvironmentSettings(names: readonly string[]): boolean {
  return names.includes(MARK);
}

/** Settings that turn off all drivers among these names, which git has listed. Files are then shown unconverted. */
export function disableDrivers(names: readonly string[]): readonly GitSetting[] {
  const keys = new Set(names.filter((name) => DRIVERS.test(name)));
  const filters = new Set(
    [...keys].flatMap((key) => /^(filter\..*)\.(?:clean|smudge|process)$/is.exec(key)?.[1] ?? []),
  );
  return [
    ...[...keys].map((key) => [key, /\.textconv$/i.test(key) ? "cat" : ""] as const),
    ...[...keys]
      .filter((key) => /\.textconv$/i.test(key))
      .map((key) => [key.replace(/textconv$/i, "cachetextconv"), "false"] as const),
    ...[...filters].map((filter) => [`${filter}.required`, "false"] as const),
  ];
}
