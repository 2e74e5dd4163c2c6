/** Services that the C library asks. All others could start programs outside, as `open` does. */
const MAC_SERVICES = [
  "com.apple.bsd.dirhelper",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
];

/** Programs of macOS that only serve to have others do something: those do it outside, unasked. */
const MAC_MESSENGERS = [
  ...[
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
  ],
  ...["pbcopy", "pbpaste", "screencapture", "tccutil", "sfltool", "qlmanage"],
].map((name) => `/usr/bin/${name}`);

/** Rules of macOS that keep a program from having others act for it, whatever is allowed by default. */
export const CLOSED_DOORS: readonly string[] = [
  "(deny mach-lookup)",
  `(allow mach-lookup ${writeFilters("global-name", MAC_SERVICES)})`,
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
  `(deny process-exec* ${writeFilters("literal", ["/bin/launchctl", ...MAC_MESSENGERS])})`,
];

/** Filters of a rule, one for each path or name. */
export function writeFilters(kind: string, paths: readonly string[]): string {
  return paths.map((path) => `(${kind} ${JSON.stringify(path)})`).join(" ");
}
