/** A kind of secret that can be told by its looks. */
export interface SecretPattern {
  readonly what: string;
  /** One of these is in every text that holds such a secret; a quick test before the slow one. */
  readonly hints: readonly string[];
  /** Matches the secret alone. Starts only at a token's border and never nests repeats, so that it is linear in the text. */
  readonly pattern: RegExp;
}

const BREAK = String.raw`(?:\s|\\[nr])`;
const PEM_ITEM = String.raw`(?:[A-Za-z-]{1,40}: [^\n\\]{1,200}|[A-Za-z0-9+/=]{16,})`;

/** Common tokens. Further ones are added here, each with a line in the test. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
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
