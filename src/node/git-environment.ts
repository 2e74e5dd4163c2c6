import { shellEnvironment } from "./shell-environment.ts";

/** A setting of git's, as `git config` names it, and its value. */
export type GitSetting = readonly [key: string, value: string];

/** What makes git run other programs, or write where it only reads, off. */
const HARMLESS: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", process.platform === "win32" ? "NUL" : "/dev/null"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.askPass", ""],
  ["core.alternateRefsCommand", ""],
  ["core.gitProxy", ""],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  ["log.showSignature", "false"],
  ["gpg.program", "false"],
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
];

/** Where git may fetch from when it clones; nowhere when it reads. */
export type Fetching = "nothing" | "clone";

/** The environment of a git that runs no other program: ours without any `GIT_*`, and with settings that no file overrules. */
export function gitEnvironment(
  base: Readonly<NodeJS.ProcessEnv>,
  more: readonly GitSetting[],
  fetching: Fetching,
): NodeJS.ProcessEnv {
  const kept = Object.entries(shellEnvironment(base, [])).filter(
    ([name]) => !/^(?:GIT_|SSH_ASKPASS)/i.test(name),
  );
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
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_LAZY_FETCH: fetching === "nothing" ? "1" : "0",
    GIT_ALLOW_PROTOCOL: fetching === "nothing" ? "none" : "https:http:ssh:git",
    GIT_SSH_COMMAND: fetching === "nothing" ? "false" : "ssh -oBatchMode=yes",
    GCM_INTERACTIVE: "never",
    LC_ALL: "C.UTF-8",
  };
}

/** Settings that name a program for a driver: `filter.NAME.clean` and the like. What a driver does is left out by making it empty. */
const DRIVERS =
  /^(?:filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:textconv|command)|merge\..*\.driver)$/is;

/** The settings that take all drivers out of these, which are what `git config --list -z --name-only` prints. */
export function withoutDrivers(names: string): readonly GitSetting[] {
  const keys = new Set(names.split("\0").filter((name) => DRIVERS.test(name)));
  const filters = new Set(
    [...keys].flatMap((key) => /^(filter\..*)\.(?:clean|smudge|process)$/is.exec(key)?.[1] ?? []),
  );
  return [
    ...[...keys].map((key) => [key, ""] as const),
    ...[...filters].map((filter) => [`${filter}.required`, "false"] as const),
  ];
}
