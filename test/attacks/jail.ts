import { homedir } from "node:os";
import { dirname } from "node:path";

/** Addresses that stand for the local network, the metadata service of clouds, and the internet. */
const ADDRESSES = ["10.1.2.3/32", "192.168.7.7/32", "169.254.169.254/32", "93.184.216.34/32"];

/** An ID that nobody on the machine has. */
const NOBODY = "47110";

/** The most programs at the same time, for all jails together. */
const MOST_PROCESSES = 4_000;
/** In bytes. */
const MOST_DISK = 3_000_000_000;

/** Makes the network of the jail, then enters the jail. The rest of the arguments is the program. */
const ENTER = [
  "ip link set lo up",
  ...ADDRESSES.map((address) => `ip addr add ${address} dev lo`),
  "ip addr add fd00::7/128 dev lo",
  "echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start",
  'exec "$@"',
].join("; ");

/**
 * The program and arguments that run `command` where it can't reach this machine: in namespaces of its own, with a home, `/tmp` and
 * network of its own, as an ID that owns nothing.
 */
export function jailed(
  root: string,
  resolvConf: string,
  variables: Readonly<Record<string, string>>,
  command: readonly string[],
): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    ...(isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : []),
    ...["prlimit", `--nproc=${MOST_PROCESSES}`],
    ...["unshare", "--user", "--map-root-user", "--net", "sh", "-c", ENTER, "jail"],
    ...["bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--uid", "1000", "--gid", "1000"],
    ...["--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--tmpfs", homedir(), "--size", String(MOST_DISK), "--tmpfs", "/tmp", "--tmpfs", "/var/tmp", "--tmpfs", "/run"],
    ...["--size", String(MOST_DISK), "--tmpfs", "/home"],
    ...["--ro-bind", root, root, "--ro-bind", dirname(process.execPath), dirname(process.execPath)],
    ...["--ro-bind", resolvConf, "/etc/resolv.conf", "--clearenv"],
    ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
    "--",
    ...command,
  ];
}
