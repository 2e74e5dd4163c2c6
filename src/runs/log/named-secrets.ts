/** A part of every name of a secret. */
const HINT = /secret|token|pass|pwd|key|credential|auth|pat(?:\b|_)|dsn|signature|salt/gi;

/** These words make a name secret, whatever its value looks like. */
const SECRET_NAME =
  /(?:^|_)(?:secrets?|(?:secret|api|private|access|signing|encryption|master|account|storage|license)_?key|passw(?:or)?d|passphrase|(?<=_)(?:pass|pwd)|credentials?|(?:auth|access|refresh|bearer|session|bot|deploy|personal)_?token)(?:_(?:base|value|base64|b64|hex|old|new|current|prod|production|dev|development|test|staging|default|\d+))?$/;

/** These words make a name secret if its value looks random. */
const MAYBE_SECRET_NAME = /(?:^|_)(?:token|auth|pat|key|dsn|signature|salt)(?:_\d+)?$/;

/** Whether a variable of this name holds a secret: always, for values that look random, or never. */
function classifyVariableName(name: string): "always" | "random" | "never" {
  const plain = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z\d]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
  if (SECRET_NAME.test(plain)) return "always";
  return MAYBE_SECRET_NAME.test(plain) ? "random" : "never";
}

const LOOKS_RANDOM = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~:-]{16,1024}$/;

/** References to a value in another place, placeholders, types and states. */
const NO_VALUE =
  /^(?:[$%<`]|\{\{|\[secret\b|\.\.\.|\*{3}|x{3,}$|your[-_ ]|(?:process|os|env|import|secrets|vars|config|settings|self|this|args|options)\.)|\$\{|\{\{|^(?:true|false|yes|no|on|off|null|nil|none|undefined|required|optional|string|str|text|bytes|number|boolean|bool|any|unknown|object|redacted|removed|hidden|masked|changeme|change[-_]me|example|placeholder|todo|pass|password|token|client[-_]secret|include|omit|same-origin|use-credentials|\(hidden\)|\w+_here|\d{1,3})[!?]?$/i;

function isSecret(name: string, value: string): boolean {
  if (value.length < 3 || NO_VALUE.test(value) || name.toLowerCase() === value.toLowerCase()) return false;
  const secrecy = classifyVariableName(name);
  return secrecy === "always" || (secrecy === "random" && LOOKS_RANDOM.test(value));
}

/** Words for people, such as a translation of "Password". */
const LABEL = /^\p{Lu}[\p{Ll}'’]+[.:!?…]?$|^(?:[\p{L}'’-]+ )+[\p{L}'’-]+[.:!?…]?$|^(?:[\p{L}'’-]+ ){3,}/u;

/** An expression of a program. */
const EXPRESSION = /^[A-Za-z_$][A-Za-z_$.]*[!?]?$|^[\w$.]+[([<]|[,;{([\\]$/;

/** `"name": "value"`, `name = 'value'`, `NAME="value"`; also in a JSON string. */
const QUOTED =
  /(?<![\w$])([A-Za-z_][\w.-]{0,80})(\\?["'])?(\s{0,4}(?::=|=>|[:=])\s{0,4})(\\?["'])(?!\4|[;,)}\]\s])([^\n]{1,1024}?)\4/g;

/** `NAME=value`, anywhere. */
const ASSIGNED = /(?<![\w$])([A-Z][A-Z0-9_]{1,80})(=)([^\s"'`<({,;&|)}\]\\]{3,1024})/g;

/** A line of its own: `name=value`, `name: value`, or a column of names and one of values. */
const ON_A_LINE =
  /^([ \t]*(?:export |declare -x |set |- |\$env:)?)([A-Za-z_][\w.-]{0,80})([ \t]{0,40}[:=][ \t]{0,40}|[ \t]{2,60})([^\s"'`][^\s"'`]{2,1023})(?=[ \t]*\r?$)/gm;

/** Replaces the values of variables whose names mark them as secret, in the output of `env`, settings, JSON and YAML. */
export function redactNamed(text: string, redact: (value: string) => string): string {
  let [shown, at] = ["", 0];
  for (const [start, end] of findHintedLines(text)) {
    shown += text.slice(at, start) + redactLines(text.slice(start, end), redact);
    at = end;
  }
  return at === 0 ? text : shown + text.slice(at);
}

/** Lines that contain a part of such a name, and the line after each, where its value may be. */
function* findHintedLines(text: string): Generator<readonly [start: number, end: number]> {
  HINT.lastIndex = 0;
  for (let hint = HINT.exec(text); hint; hint = HINT.exec(text)) {
    const start = text.lastIndexOf("\n", hint.index) + 1;
    let end = start;
    for (let isHinted = true; isHinted && end < text.length; ) {
      const next = findLineEndOffset(text, findLineEndOffset(text, end));
      isHinted = HINT_ONCE.test(text.slice(findLineEndOffset(text, end), next));
      end = isHinted ? findLineEndOffset(text, end) : next;
    }
    yield [start, end];
    HINT.lastIndex = end;
  }
}

const HINT_ONCE = new RegExp(HINT.source, "i");

/** The position after the line that contains a position. */
function findLineEndOffset(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end + 1;
}

function redactLines(text: string, redact: (value: string) => string): string {
  return text
    .replace(QUOTED, (whole, name: string, end = "", joint = "", quote = "", value = "") =>
      isSecret(name, value) && (joint.includes("=") || !LABEL.test(value))
        ? `${name}${end}${joint}${quote}${redact(value)}${quote}`
        : whole,
    )
    .replace(ASSIGNED, (whole, name: string, joint: string, value: string) =>
      isSecret(name, value) && !/\(/.test(value) ? `${name}${joint}${redact(value)}` : whole,
    )
    .replace(ON_A_LINE, (whole, before: string, name: string, joint: string, value: string) => {
      const isColumn = !/[:=]/.test(joint);
      if (isColumn ? name !== name.toUpperCase() : joint !== "=" && EXPRESSION.test(value)) return whole;
      return isSecret(name, value) && !/[(){};]/.test(value) ? `${before}${name}${joint}${redact(value)}` : whole;
    });
}

/** Headers with the key of a collector of traces. */
const COLLECTOR_HEADERS = /^OTEL_EXPORTER_OTLP_(?:TRACES_)?HEADERS$/i;

/** The values of `name=value,…`, as they are written and as they are sent, without a word such as `Bearer`. */
function listHeaderValues(headers: string): readonly string[] {
  const values = headers.split(",").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  return values.flatMap((value) => {
    const sent = value.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    return [...new Set([value, sent, sent.slice(sent.lastIndexOf(" ") + 1)])];
  });
}

/** Values in an environment that are secret by their names, except short ones and paths. */
export function findEnvironmentSecrets(env: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  const headers = Object.entries(env).filter(([name]) => COLLECTOR_HEADERS.test(name));
  const named = Object.entries(env).flatMap(([name, value = ""]) =>
    classifyVariableName(name) !== "never" && LOOKS_RANDOM.test(value) && isSecret(name, value) && !/^[/~.]/.test(value)
      ? [value]
      : [],
  );
  return [...named, ...headers.flatMap(([, value = ""]) => listHeaderValues(value))];
}
