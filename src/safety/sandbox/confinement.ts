import {
  buildSandboxPlan,
  type FolderListing,
  type SandboxMachine,
  type SandboxPlan,
  TOP_CONTROLS,
} from "./plan.ts";
import { CLOSED_DOORS, writeFilters } from "./seatbelt.ts";

/** Linux system folders that hold programs and no projects. */
export const SYSTEM_FOLDERS = [
  ...[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
  ],
  ...["/sys", "/var/lib/dpkg", "/var/lib/rpm", "/home/linuxbrew/.linuxbrew"],
];

/** The process folder of the new namespace, without the files that change the system. */
export const PROCESS_FOLDER = [
  ...["--proc", "/proc"],
  ...["/proc/sys", "/proc/sysrq-trigger"].flatMap((path) => ["--ro-bind-try", path, path]),
];

/** Capabilities that root keeps for working with others' files in containers. With more it could undo the sandbox. */
const POWERS_OF_ROOT = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL"];

/** macOS folders that hold homes and projects. */
const PEOPLE_FOLDERS = ["/Users", "/Volumes"];

/** A tool's arguments for confining a command, and placeholders for absent paths that must be removed afterwards. */
export function buildConfinement(
  tool: "bubblewrap" | "seatbelt",
  workspace: readonly FolderListing[],
  surroundings: SandboxMachine,
): { readonly args: readonly string[]; readonly standIns: readonly string[] } {
  const plan = buildSandboxPlan(workspace, surroundings);
  return tool === "seatbelt"
    ? { args: buildSeatbeltArguments(plan, surroundings.home), standIns: [] }
    : { args: buildBubblewrapArguments(plan, surroundings.isRoot), standIns: plan.absent };
}

/** The arguments of `bwrap` up to the command. Later ones cover earlier ones. */
function buildBubblewrapArguments(plan: SandboxPlan, isRoot: boolean): readonly string[] {
  const repeatFlag = (flag: string, paths: readonly string[]): string[] =>
    paths.flatMap((path) => [flag, path, path]);
  return [
    "--die-with-parent",
    "--new-session",
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"],
    ...["--cap-drop", "ALL"],
    ...(isRoot ? POWERS_OF_ROOT.flatMap((name) => ["--cap-add", `CAP_${name}`]) : []),
    ...repeatFlag("--ro-bind-try", SYSTEM_FOLDERS),
    ...["--dev", "/dev"],
    ...PROCESS_FOLDER,
    ...plan.scratch.flatMap((path) => ["--tmpfs", path]),
    ...repeatFlag("--ro-bind-try", plan.readable),
    ...repeatFlag("--bind", plan.writable),
    ...plan.emptied.flatMap((path) => ["--tmpfs", path]),
    ...repeatFlag("--ro-bind-try", plan.fixed),
    ...plan.absent.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...plan.blanked.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["--remount-ro", "/"],
  ];
}

/** The arguments of macOS's `sandbox-exec` up to the command. The last rule that fits an access decides. */
function buildSeatbeltArguments(plan: SandboxPlan, home: string): readonly string[] {
  const formatRule = (what: string, all: readonly string[]): string =>
    all.length === 0 ? "" : `(${what} ${writeFilters("subpath", all)})`;
  const profile = [
    "(version 1)",
    "(allow default)",
    "(deny network*)",
    ...CLOSED_DOORS,
    "(deny file-write*)",
    formatRule("allow file-write*", plan.writable),
    `(deny file-write* (regex #"/(${TOP_CONTROLS.map(buildAnyCaseRegex).join("|")})(/|$)"))`,
    `(allow file-write* (subpath "/private/tmp") (subpath "/private/var/folders") (literal "/dev/null") (literal "/dev/tty"))`,
    formatRule("deny file-write*", [...plan.fixed, ...plan.absent]),
    formatRule("deny file-read*", [...new Set([...PEOPLE_FOLDERS, home])]),
    formatRule("allow file-read-metadata", [...new Set([...PEOPLE_FOLDERS, home])]),
    formatRule("allow file-read*", [...plan.readable, ...plan.writable]),
    formatRule("deny file-read*", [...plan.emptied, ...plan.blanked]),
  ];
  return ["-p", profile.filter((line) => line !== "").join("\n")];
}

/** A regular expression that matches a name in any case. */
function buildAnyCaseRegex(name: string): string {
  return name
    .replaceAll(".", "\\.")
    .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}
