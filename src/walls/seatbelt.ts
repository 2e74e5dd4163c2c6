import { demandExpressible, type View } from "./view.ts";

/** Services that the C library contacts. All others could start programs outside, as `open` does. */
const MAC_SERVICES = [
  "com.apple.bsd.dirhelper",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
];

/** macOS programs that only make other programs act, which then act outside the sandbox and without approval. */
const MAC_MESSENGERS = [
  "open",
  "osascript",
  "shortcuts",
  "automator",
  "at",
  "atq",
  "atrm",
  "batch",
  "crontab",
  "defaults",
  "security",
  "pbcopy",
  "pbpaste",
  "screencapture",
  "tccutil",
  "sfltool",
  "qlmanage",
].map((name) => `/usr/bin/${name}`);

/** Rules of macOS that keep a program from having others act for it, whatever is allowed by default. */
export const CLOSED_DOORS: readonly string[] = [
  "(deny mach-lookup)",
  `(allow mach-lookup ${writeFilters("global-name", MAC_SERVICES).join(" ")})`,
  "(deny mach-register)",
  "(deny mach-priv*)",
  "(deny appleevent-send)",
  "(deny lsopen)",
  "(deny job-creation)",
  "(deny user-preference-write)",
  "(deny signal)",
  "(allow signal (target same-sandbox))",
  "(deny process-info*)",
  "(allow process-info* (target same-sandbox))",
  `(deny process-exec* ${writeFilters("literal", ["/bin/launchctl", ...MAC_MESSENGERS]).join(" ")})`,
];

/** The arguments of macOS's `sandbox-exec` up to the command. The last rule that matches an access decides. */
export function buildSeatbeltArguments(view: View): readonly string[] {
  const { network, openExcept, fixedNames } = view;
  const isOpen = openExcept !== undefined;
  demandExpressible(view, "Seatbelt", ["mounted", "powers"]);
  const formatRule = (what: string, paths: readonly string[], further: readonly string[] = []): string =>
    paths.length + further.length === 0 ? "" : `(${what} ${[...writeFilters("subpath", paths), ...further].join(" ")})`;
  const readable = [...view.system, ...view.readable, ...view.writable];
  const ownFolders = [...view.writable, ...view.scratch.flatMap(({ from }) => from ?? [])];
  const above = isOpen ? [] : [...new Set(readable.flatMap(listFoldersAbove))];
  const profile = [
    "(version 1)",
    ...(isOpen ? OPEN : CLOSED),
    ...CLOSED_DOORS,
    ...(isOpen ? ["(deny file-write*)"] : NEEDED),
    formatRule("allow file-write*", view.writable),
    fixedNames.length === 0
      ? ""
      : `(deny file-write* (regex #"/(${fixedNames.map(buildAnyCaseRegex).join("|")})(/|$)"))`,
    formatRule(
      "allow file-write*",
      view.scratch.map(({ at }) => at),
      [...writeFilters("literal", DEVICES), '(subpath "/dev/fd")', ...(isOpen ? [MADE_BY_MKTEMP] : [])],
    ),
    formatRule("deny file-write*", [...view.fixed, ...view.sealed]),
    formatRule("deny file-read*", openExcept ?? []),
    formatRule("allow file-read-metadata", openExcept ?? [], writeFilters("literal", above)),
    formatRule("allow file-read*", readable, isOpen ? [] : ['(literal "/")']),
    ...OWN_TERMINALS,
    formatRule("deny file-read*", [...view.emptied, ...view.blanked]),
    ...formatSocketRules("allow", ownFolders, !isOpen || network.kind === "loopback"),
    ...formatSocketRules("deny", view.emptied, true),
    ...(network.kind === "loopback" ? LOOPBACK : []),
    network.kind === "shared" && network.proxyPort !== undefined
      ? `(allow network-outbound (remote ip "localhost:${network.proxyPort}"))`
      : "",
  ];
  return ["-p", profile.filter((line) => line !== "").join("\n")];
}

const OPEN = ["(allow default)", "(deny network*)"];
const CLOSED = ["(deny default)", "(allow process-exec*)", "(allow process-fork)"];

/** Rules without which git, Python, Node, Go and Swift don't start where everything else is denied. */
const NEEDED = [
  "(allow sysctl-read)",
  "(allow ipc-posix-sem)",
  // Only by names that Python and OpenMP give, since memory is shared with all programs of the user.
  '(allow ipc-posix-shm* (ipc-posix-name-regex #"^/(psm_|__KMP_REGISTERED_LIB_)"))',
  '(allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))',
  "(allow pseudo-tty)",
  "(allow file-map-executable)",
  "(allow system-socket (socket-domain AF_UNIX))",
  `(allow file-ioctl ${writeFilters("literal", ["/dev/null", "/dev/dtracehelper"]).join(" ")})`,
  // Links of the system, and the developer tools to which /usr/bin/git and others lead.
  `(allow file-read* ${[
    ...writeFilters("literal", ["/etc", "/tmp", "/var", "/private/var/db/xcode_select_link"]),
    '(regex #"^/Applications/Xcode[^/]*[.]app(/|$)")',
  ].join(" ")})`,
];

/** Devices that programs write to without harm. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

/** The names that `mktemp` chooses by itself. It ignores TMPDIR, and the rest of that folder belongs to the user's other programs. */
const MADE_BY_MKTEMP = '(regex #"^/private/var/folders/[^/]+/[^/]+/T/tmp[.]")';

/** Only the terminals that programs open themselves, since the others show what the user types. */
const OWN_TERMINALS = [
  '(deny file-read* file-write* file-ioctl (regex #"^/dev/ttys[0-9]+$"))',
  '(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))',
  '(allow file-read* file-write* file-ioctl (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
];

const LOOPBACK = [
  '(allow network-bind (local ip "localhost:*"))',
  '(allow network-inbound (local ip "localhost:*"))',
  '(allow network-outbound (remote ip "localhost:*"))',
];

/** Rules for the sockets in folders, which have paths and lead to no network. */
/**
 * Rules for Unix sockets in folders: to listen, and if `reaches` to connect. Lines that can write to `/private/tmp` mustn't connect: they could
 * move a service's socket into a folder of their own.
 */
function formatSocketRules(verb: "allow" | "deny", folders: readonly string[], reaches: boolean): readonly string[] {
  if (folders.length === 0) return [];
  const filters = writeFilters("subpath", folders);
  return [
    `(${verb} network-bind ${filters.map((filter) => `(local unix-socket ${filter})`).join(" ")})`,
    reaches ? `(${verb} network-outbound ${filters.map((filter) => `(remote unix-socket ${filter})`).join(" ")})` : "",
  ];
}

/** Filters of a rule, one for each path or name. */
function writeFilters(kind: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => `(${kind} ${JSON.stringify(path)})`);
}

function listFoldersAbove(path: string): readonly string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

/** A regular expression that matches a name in any case. */
function buildAnyCaseRegex(name: string): string {
  return name.replaceAll(".", "\\.").replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}
