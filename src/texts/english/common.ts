/** Texts that several areas use. */
export const commonTexts = {
  "common.andMore": { one: "and {count} more", other: "and {count} more" },
  "common.cancel": "Cancel",
  "common.close": "Close",
  "common.files": { one: "{count} file", other: "{count} files" },
  "common.folders": { one: "{count} folder", other: "{count} folders" },
  "common.lines": { one: "{count} line", other: "{count} lines" },
  "common.restoring": "Restoring…",
  "common.steps": { one: "{count} step", other: "{count} steps" },
  "common.twoSentences": "{first} {second}",
  "common.twoLines": "{first}\n{second}",
  "common.tokens": { one: "{count} token", other: "{count} tokens" },
  "common.more": { one: "{count} more", other: "{count} more" },
} as const;
