import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { findSandboxTool } from "../../node/sandbox/sandbox.ts";

/** The reach of a walled program, beside the programs and libraries of the system. */
export interface WallsView {
  /** Real paths of files and folders that it may read. */
  readonly readable: readonly string[];
  /** It may use the network. */
  readonly network: boolean;
}

/** Bubblewrap, if this system has it and lets it work. Tried once. */
export function findBubblewrap(): Promise<string | undefined> {
  tried ??= findSandboxTool().then((tool) => (tool.kind === "bubblewrap" ? tool.path : undefined));
  return tried;
}

let tried: Promise<string | undefined> | undefined;

/** Programs and libraries of a Linux. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/** Parts of /etc that programs need to start, and to use the network. Users and passwords aren't among it. */
const SETTINGS = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/timezone"];
const FOR_NETWORK = ["resolv.conf", "hosts", "nsswitch.conf", "ssl", "pki", "ca-certificates", "gai.conf"];

/**
 * A program with its arguments within walls: it sees the system's programs, what `view` names, and an empty home; it can't write anywhere
 * else, and sees no other process. All that it starts ends with it.
 */
export function buildWalledCommand(
  bwrap: string,
  words: readonly string[],
  cwd: string,
  { readable, network }: WallsView,
): readonly string[] {
  const settings = network ? [...SETTINGS, ...FOR_NETWORK.map((name) => join("/etc", name))] : SETTINGS;
  // On many systems, the settings of the network are a link into /run.
  const linked = network && existsSync("/etc/resolv.conf") ? [realpathSync("/etc/resolv.conf")] : [];
  const seen = [...new Set([...readable, ...linked.filter((path) => !path.startsWith("/etc/"))])];
  return [
    bwrap,
    ...["--unshare-all", ...(network ? ["--share-net"] : []), "--die-with-parent", "--new-session"],
    ...["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...["--tmpfs", "/home/plugin", "--setenv", "HOME", "/home/plugin", "--setenv", "TMPDIR", "/tmp"],
    ...[...SYSTEM, ...settings].flatMap((path) => ["--ro-bind-try", path, path]),
    ...seen.flatMap((path) => ["--ro-bind", path, path]),
    ...["--chdir", cwd, "--", ...words],
  ];
}

/** The folders that a program needs beside the system's: its own, and the libraries next to it. */
export function listNeededFolders(program: string): readonly string[] {
  const path = realpathSync(program);
  if (SYSTEM.some((folder) => path.startsWith(`${folder}/`))) return [];
  const lib = join(dirname(path), "..", "lib");
  return [dirname(path), ...(existsSync(lib) ? [realpathSync(lib)] : [])];
}
