import { randomBytes } from "node:crypto";
import { hasMatchingText, mapTexts } from "../../core/base/json.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import type { RunLog } from "../../core/ports/storage.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { redactEncoded, SHORTEST_SECRET, type TextSpan } from "./encoded-secrets.ts";
import { redactNamed } from "./named-secrets.ts";
import { findTokens } from "./token-rules.ts";

/**
 * Replaces secrets with marks, and marks with their secrets. A run's log, and with it the model, sees only the marks; a file
 * that is read and written again keeps its secrets. They are known only in memory: after a restart, marks are unknown.
 */
export interface Secrets {
  /** The text with a mark for each secret; the same secret always gets the same mark. */
  redact(text: string): string;
  /** The text with its marks replaced by their secrets. */
  restore(text: string): string;
  /** True if a text contains a mark whose secret is unknown. */
  hasLost(text: string): boolean;
}

/** Maximum length of a text that is remembered as clean, and maximum number of such texts. */
const SHORT = 32;
const MOST_CLEAN = 1_000;
const MARK = /\[secret ([0-9a-f]{6}): [^\]\n]{1,40}\]/g;

/** `known` contains values that are always secret, such as the user's keys. */
export function makeSecrets(
  known: readonly string[] = [],
  newId: () => string = () => randomBytes(3).toString("hex"),
): Secrets {
  const marks = new Map<string, string>();
  const values = new Map<string, string>();
  const keys = known.filter((key) => key.length >= SHORTEST_SECRET).sort((one, other) => other.length - one.length);

  const createMark = (found: string, what: string): string => {
    const value = unescapeKey(found);
    const mark = marks.get(value) ?? `[secret ${newId()}: ${what}]`;
    marks.set(value, mark);
    values.set(mark, value);
    return mark;
  };

  /** Short texts without a secret: a run repeats its names of events, commands and plugins thousands of times. */
  const clean = new Set<string>();

  const findSecretSpans = (text: string): readonly TextSpan[] => [
    ...keys.flatMap((key) => findKeySpans(text, key)),
    ...findTokens(text).map(({ span }) => span),
  ];

  return {
    redact(text) {
      if (clean.has(text)) return text;
      let redacted = text;
      for (const key of keys) {
        if (redacted.includes(key)) redacted = redacted.replaceAll(key, () => createMark(key, "API key"));
      }
      redacted = markTokens(redacted, createMark);
      redacted = redactNamed(redacted, (value) => createMark(value, "value"));
      redacted = redactEncoded(redacted, findSecretSpans, (encoded) => createMark(encoded, "encoded key"));
      if (redacted === text && text.length <= SHORT && clean.size < MOST_CLEAN) clean.add(text);
      return redacted;
    },
    restore: (text) => text.replace(MARK, (mark) => values.get(mark) ?? mark),
    hasLost: (text) => [...text.matchAll(MARK)].some(([mark]) => !values.has(mark)),
  };
}

/** Replaces each token that the kept rules find with a mark. */
function markTokens(text: string, markOf: (found: string, what: string) => string): string {
  const found = findTokens(text).toSorted(({ span: [one] }, { span: [other] }) => one - other);
  let [shown, at] = ["", 0];
  for (const { what, span } of found) {
    const [start, end] = span;
    if (start < at || /^\[secret /.test(text.slice(start, start + 8))) continue;
    shown += text.slice(at, start) + markOf(text.slice(start, end), what);
    at = end;
  }
  return at === 0 ? text : shown + text.slice(at);
}

function findKeySpans(text: string, key: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + key.length))
    spans.push([at, at + key.length]);
  return spans;
}

/** A key in a JSON string has escaped line breaks, but it's the same key. */
function unescapeKey(found: string): string {
  return found.startsWith("-----BEGIN") ? found.replaceAll("\\r", "").replaceAll("\\n", "\n") : found;
}

/** A log without secrets. Events take effect as they were written, so the model doesn't see secrets either. */
export function createRedactedLog(log: RunLog, secrets: Secrets): RunLog {
  const redactEvent = (event: AgentEvent): AgentEvent => mapTexts(event, secrets.redact);
  const { appendAll } = log;
  return {
    append: (event) => log.append(redactEvent(event)),
    ...(appendAll ? { appendAll: (events) => appendAll(events.map(redactEvent)) } : {}),
    sync: () => log.sync(),
    close: () => log.close(),
  };
}

/** Commands whose arguments may contain the marks of secrets; a call with an unknown mark fails. */
export function addSecretMarks(commands: CommandSet, secrets: Secrets): CommandSet {
  return {
    ...commands,
    prepare: async (call, preparing) =>
      hasMatchingText(call.args, secrets.hasLost)
        ? { status: "failed", error: FORGOTTEN }
        : commands.prepare({ ...call, args: mapTexts(call.args, secrets.restore) }, preparing),
  };
}

const FORGOTTEN =
  'The arguments hold a mark "[secret ...]" whose secret is no longer known, so nothing was done. Read the place it came from again, or leave that place of the file alone with a small edit.';
