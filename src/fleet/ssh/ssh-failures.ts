import { cutText, escapeInvisible } from "../../core/base/text.ts";
import type { ServedLine } from "../../schema/fleet/served.ts";
import { type DisplayText, displayText, fail } from "../../texts/display-text.ts";
import { OLDEST_NODE } from "./launcher.ts";

/** How much of another program's message a sentence quotes. */
const LONGEST_QUOTE = 300;

/** The code with which ssh ends if the connection failed. Any other one comes from the machine. */
const OWN_CODE = 255;

type Kind =
  | "hostKeyChanged"
  | "hostKeyUnknown"
  | "password"
  | "denied"
  | "unknownHost"
  | "refused"
  | "unreachable"
  | "noShell";

const PATTERNS: readonly (readonly [RegExp, Kind])[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED|host key .* has changed/i, "hostKeyChanged"],
  [/Host key verification failed|No \S+ host key is known/i, "hostKeyUnknown"],
  [/Permission denied \([^)]*(?:password|keyboard-interactive)/i, "password"],
  [/Permission denied|Too many authentication failures/i, "denied"],
  [/Could not resolve hostname/i, "unknownHost"],
  [/Connection refused/i, "refused"],
  [/timed out|No route to host|unreachable|Connection closed|Connection reset|Broken pipe/i, "unreachable"],
];

const FULL_DISK = /No space left on device|Disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/;

/** Lines with which Node ends the report of a crash, around the one that says what has happened. */
const CRASH_FRAME = /^(?:\s+at .*|Node\.js v.*|\s*[{}^~]*\s*)$/;

/** Problems that may be over soon. */
const PASSING: readonly Kind[] = ["refused", "unreachable"];

/** Why a call of ssh failed. */
export interface SshFailure {
  readonly why: DisplayText;
  /** Trying again may help. */
  readonly isPassing: boolean;
}

/** Explains how ssh, or what it started on a machine, ended without an answer. */
export function explainSshFailure(host: string, code: number | null, stderr: string): SshFailure {
  const [, kind] = PATTERNS.find(([pattern]) => code === OWN_CODE && pattern.test(stderr)) ?? [];
  if (kind) return { why: displayText(`ssh.${kind}`, { host }), isPassing: PASSING.includes(kind) };
  if (FULL_DISK.test(stderr)) return { why: displayText("ssh.diskFull", { host }), isPassing: false };
  if (/is not recognized|not found/i.test(stderr) && code !== OWN_CODE && code !== null)
    return { why: displayText("ssh.noShell", { host }), isPassing: false };
  const said = quoteLastLine(stderr);
  const why = said === "" ? displayText("ssh.lost", { host }) : displayText("ssh.failed", { host, said });
  return { why, isPassing: code === OWN_CODE || code === null };
}

function quoteLastLine(text: string): string {
  return quoteMessage(text.split(/\r?\n/).findLast((line) => !CRASH_FRAME.test(line)) ?? "");
}

/** Says what the launcher of a machine didn't find, with the way to get it; throws a sentence if it had no reason to look. */
export function explainUnfit(host: string, { node, git, program }: Extract<ServedLine, { type: "unfit" }>) {
  const major = Number(/^v(\d+)\./.exec(node)?.[1] ?? 0);
  if (node === "") return { part: "node", why: displayText("ssh.noNode", { host }) } as const;
  if (major < OLDEST_NODE) return { part: "node", why: displayText("ssh.oldNode", { host, found: node }) } as const;
  if (git === "") return { part: "git", why: displayText("ssh.noGit", { host }) } as const;
  if (program === "") return { part: "program", why: displayText("ssh.noProgram", { host }) } as const;
  return fail("ssh.notOurs", { host });
}

/** A message of another machine, on one line and cut. */
export function quoteMessage(text: string): string {
  return cutText(escapeInvisible(text.trim().replace(/\s+/g, " ")), LONGEST_QUOTE);
}
