/** Texts about what went wrong, and what to do next. */
export const troubleTexts = {
  "trouble.oldNode":
    "AutoGPT needs Node.js 22 or later, but {app} runs extensions with Node.js {version}. Update {app}, or start it with a newer Node.js.",
} as const;
