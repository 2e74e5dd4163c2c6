/** What a line typed at a waiting proposal means. */
export type Answer =
  /** `count` counts this one. */
  | { readonly kind: "approve"; readonly count: number }
  | { readonly kind: "refuse"; readonly feedback: string }
  | { readonly kind: "criticise" }
  | { readonly kind: "unclear"; readonly text: string };

const PLAIN_REFUSAL = "The user said no and gave no reason.";
const COUNT_FORM = 'Write "y -N" with a number of commands, as in "y -5".';

/** Reads a line: `y`, `y -N`, `n [reason]`, `s`; anything else is feedback, which refuses the command. */
export function readAnswer(line: string): Answer {
  const text = line.trim();
  const lower = text.toLowerCase();
  if (text === "") return { kind: "unclear", text: "Nothing was typed." };
  if (lower === "y" || lower === "yes") return { kind: "approve", count: 1 };
  if (lower === "s") return { kind: "criticise" };
  if (/^y\s+-/.test(lower)) return readCount(lower);
  if (lower === "n" || lower === "no") return { kind: "refuse", feedback: PLAIN_REFUSAL };
  return { kind: "refuse", feedback: `The user says: ${text.replace(/^[nN]\s+/, "")}` };
}

function readCount(text: string): Answer {
  const [, digits] = /^y\s+-(\d{1,6})$/.exec(text) ?? [];
  if (digits === undefined) return { kind: "unclear", text: COUNT_FORM };
  return { kind: "approve", count: Math.max(1, Number(digits)) };
}
