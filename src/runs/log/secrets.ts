import { randomBytes } from "node:crypto";
import { mapTexts, someText } from "../../core/base/map-texts.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import type { RunLog } from "../../core/ports/storage.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { redactEncoded, SHORTEST_SECRET, type TextSpan } from "./encoded-secrets.ts";
import { redactNamed } from "./named-secrets.ts";

/** A kind of secret with a recognizable form. */
interface SecretPattern {
  readonly what: string;
  /** Every text with such a secret contains one of these; a quick test before the slow one. */
  readonly hints: readonly string[];
  /** Matches the secret alone. Starts only at a token's border and never nests repeats, so that it is linear in the text. */
  readonly pattern: RegExp;
}

const BREAK = String.raw`(?:\s|\\[nr])`;
const PEM_ITEM = String.raw`(?:[A-Za-z-]{1,40}: [^\n\\]{1,200}|[A-Za-z0-9+/=]{16,})`;

/** Common tokens. Further ones are added here, each with a line in the test. */
const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    what: "API key",
    hints: ["sk-"],
    pattern: /(?<![\w-])sk-(?=[\w-]{20})(?=[\w-]*[0-9A-Z]|[a-z]{20})[\w-]+/g,
  },
  {
    what: "GitHub token",
    hints: ["gh", "github_pat_"],
    pattern: /(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255})/g,
  },
  { what: "GitLab token", hints: ["glpat-"], pattern: /(?<![\w-])glpat-[\w-]{20,255}/g },
  { what: "Slack token", hints: ["xox"], pattern: /(?<![\w-])xox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  { what: "Google key", hints: ["AIza"], pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/g },
  { what: "AWS key id", hints: ["AKIA", "ASIA"], pattern: /(?<!\w)A[KS]IA[A-Z0-9]{16}(?!\w)/g },
  {
    what: "AWS secret key",
    hints: ["secret", "SECRET", "Secret"],
    pattern: /(?<=aws_?secret_?access_?key["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi,
  },
  {
    what: "Stripe key",
    hints: ["k_live_", "k_test_"],
    pattern: /(?<!\w)[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}/g,
  },
  { what: "npm token", hints: ["npm_"], pattern: /(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)/g },
  { what: "Hugging Face token", hints: ["hf_"], pattern: /(?<!\w)hf_[A-Za-z0-9]{30,255}/g },
  {
    what: "SendGrid key",
    hints: ["SG."],
    pattern: /(?<!\w)SG\.[\w-]{20,64}\.[\w-]{20,64}/g,
  },
  {
    what: "JSON web token",
    hints: ["eyJ"],
    pattern: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g,
  },
  {
    what: "private key",
    hints: ["PRIVATE KEY"],
    pattern: new RegExp(
      `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:${BREAK}+${PEM_ITEM})+(?:${BREAK}+[A-Za-z0-9+/=]{1,15}(?![A-Za-z0-9+/=]))?(?:${BREAK}*-----END [A-Z0-9 ]{0,60}-----)?`,
      "g",
    ),
  },
  {
    what: "bearer token",
    hints: ["earer "],
    pattern: /(?<=\b[Bb]earer )[\w.~+/=-]{20,1024}/g,
  },
  {
    what: "password",
    hints: ["://"],
    pattern: /(?<=:\/\/[^\s/:@]{0,64}:)[^\s/@"'`<>$[{]{3,256}(?=@)/g,
  },
  {
    what: "secret in an address",
    hints: ["="],
    pattern:
      /(?<=[?&](?:password|passwd|pwd|token|access_token|refresh_token|id_token|api_?key|client_secret|secret|sig|signature)=)[^\s&#"'`<>$[{]{6,1024}/gi,
  },
];

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

/** Characters of a text that is remembered as clean, and the number of those. */
const SHORT = 32;
const MOST_CLEAN = 1_000;
const MARK = /\[secret ([0-9a-f]{6}): [^\]\n]{1,40}\]/g;

/** `known`: values that are always secret, such as the user's keys. */
export function makeSecrets(
  known: readonly string[] = [],
  newId: () => string = () => randomBytes(3).toString("hex"),
): Secrets {
  const marks = new Map<string, string>();
  const values = new Map<string, string>();
  const keys = known
    .filter((key) => key.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);

  const markOf = (found: string, what: string): string => {
    const value = unescaped(found);
    const mark = marks.get(value) ?? `[secret ${newId()}: ${what}]`;
    marks.set(value, mark);
    values.set(mark, value);
    return mark;
  };

  /** Short texts without a secret: a run repeats its names of events, commands and plugins thousands of times. */
  const clean = new Set<string>();

  const spansOf = (text: string): readonly TextSpan[] => [
    ...keys.flatMap((key) => spansOfKey(text, key)),
    ...SECRET_PATTERNS.filter(({ hints }) => hints.some((hint) => text.includes(hint)))
      .flatMap(({ pattern }) => [...text.matchAll(pattern)])
      .map(({ index, 0: found }): TextSpan => [index, index + found.length]),
  ];

  return {
    redact(text) {
      if (clean.has(text)) return text;
      let redacted = text;
      for (const key of keys) {
        if (redacted.includes(key)) redacted = redacted.replaceAll(key, () => markOf(key, "API key"));
      }
      for (const { what, hints, pattern } of SECRET_PATTERNS) {
        if (hints.some((hint) => redacted.includes(hint)))
          redacted = redacted.replace(pattern, (found) => markOf(found, what));
      }
      redacted = redactNamed(redacted, (value) => markOf(value, "value"));
      redacted = redactEncoded(redacted, spansOf, (encoded) => markOf(encoded, "encoded key"));
      if (redacted === text && text.length <= SHORT && clean.size < MOST_CLEAN) clean.add(text);
      return redacted;
    },
    restore: (text) => text.replace(MARK, (mark) => values.get(mark) ?? mark),
    hasLost: (text) => [...text.matchAll(MARK)].some(([mark]) => !values.has(mark)),
  };
}

function spansOfKey(text: string, key: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + key.length))
    spans.push([at, at + key.length]);
  return spans;
}

/** A key in a JSON string has escaped line breaks; it's the same key. */
function unescaped(found: string): string {
  return found.startsWith("-----BEGIN") ? found.replaceAll("\\r", "").replaceAll("\\n", "\n") : found;
}

/** A log without secrets. Events take effect as they were written, so the model doesn't see secrets either. */
export function redactedLog(log: RunLog, secrets: Secrets): RunLog {
  const redacted = (event: AgentEvent): AgentEvent => mapTexts(event, secrets.redact);
  const { appendAll } = log;
  return {
    append: (event) => log.append(redacted(event)),
    ...(appendAll ? { appendAll: (events) => appendAll(events.map(redacted)) } : {}),
    sync: () => log.sync(),
    close: () => log.close(),
  };
}

/** Commands whose arguments may contain the marks of secrets; a call with an unknown mark fails. */
export function withSecrets(commands: CommandSet, secrets: Secrets): CommandSet {
  return {
    ...commands,
    prepare: async (call, preparing) =>
      someText(call.args, secrets.hasLost)
        ? { status: "failed", error: FORGOTTEN }
        : commands.prepare({ ...call, args: mapTexts(call.args, secrets.restore) }, preparing),
  };
}

const FORGOTTEN =
  'The arguments hold a mark "[secret ...]" whose secret is no longer known, so nothing was done. Read the place it came from again, or leave that place of the file alone with a small edit.';
