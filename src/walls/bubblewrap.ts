import { demandExpressible, type View } from "./view.ts";

/** Megabytes that programs may share in memory, which belong to no process. */
const SHARED_MB = 1024;

/** The arguments of `bwrap` up to the command. Later ones cover earlier ones. A recent one, 0.8 or later, has limits for folders in memory and for namespaces. */
export function buildBubblewrapArguments(view: View, isRecent = false): readonly string[] {
  demandExpressible(view, "bubblewrap", ["openExcept", "fixedNames"]);
  const repeatFlag = (flag: string, paths: readonly string[]): string[] => paths.flatMap((path) => [flag, path, path]);
  const mountInMemory = (path: string, mb?: number): readonly string[] => [
    ...(isRecent && mb !== undefined ? ["--size", String(mb * 1_048_576)] : []),
    "--tmpfs",
    path,
  ];
  return [
    "--die-with-parent",
    "--new-session",
    ...listUserArguments(view, isRecent),
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(view.network.kind === "none" || view.network.kind === "loopback" ? ["--unshare-net"] : []),
    "--cap-drop",
    "ALL",
    ...view.powers.flatMap((name) => ["--cap-add", `CAP_${name}`]),
    ...repeatFlag("--ro-bind-try", view.system),
    "--dev",
    "/dev",
    ...mountInMemory("/dev/shm", SHARED_MB),
    "--remount-ro",
    "/dev",
    // The process folder of the new namespace, without the files that change the system.
    "--proc",
    "/proc",
    ...repeatFlag("--ro-bind-try", ["/proc/sys", "/proc/sysrq-trigger"]),
    ...view.scratch.flatMap(({ at, from, mb }) => (from === undefined ? mountInMemory(at, mb) : ["--bind", from, at])),
    ...repeatFlag("--ro-bind-try", view.readable),
    ...repeatFlag("--bind", view.writable),
    ...view.mounted.flatMap(({ from, at, writable }) => [writable ? "--bind" : "--ro-bind", from, at]),
    ...view.emptied.flatMap((path) => ["--tmpfs", path]),
    ...repeatFlag("--ro-bind-try", view.fixed),
    ...view.sealed.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...view.blanked.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    "--remount-ro",
    "/",
  ];
}

function listUserArguments({ user }: View, isRecent: boolean): readonly string[] {
  if (user === "same") return [];
  if (user === "own") return ["--unshare-user-try"];
  return [
    "--unshare-user",
    "--uid",
    String(user.id),
    "--gid",
    String(user.group),
    ...(isRecent ? ["--disable-userns"] : []),
  ];
}
