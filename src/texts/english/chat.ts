/** Texts of the editor's own chat. */
export const chatTexts = {
  "chat.showRun": "Show the run in the panel",
  "chat.needsApproval": "{agent} needs your approval: {title}",
  "chat.reviewFirst": "Review all of it before you approve.",
  "chat.answerHere": "Answer with your next message.",
  "chat.noTask": "Describe a task after `@autogpt`.",
  "chat.leftOut": "AutoGPT can't use {file}, so it was left out.",
  "chat.reviewProfile": "Review the profile in the panel, and start the run there.",
  "chat.resume": "Resume the run",
  "chat.sayNext": "This run has finished. Say what to do next after `/resume`.",
  "chat.toolWorks": "AutoGPT is working on the task",
  "chat.confirmTitle": "Start a run of AutoGPT?",
  "chat.confirmText":
    "Another agent wants AutoGPT to work on the task below, within your budget for a run. AutoGPT asks before each step as always.",
} as const;
