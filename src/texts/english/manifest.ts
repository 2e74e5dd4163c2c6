/** Texts of the extension's manifest besides titles of actions and settings. `package.nls.json` is generated from all of them. */
export const MANIFEST_TEXTS = {
  "view.panel": "Task",
  "view.runs": "Runs",
  "codeAction.fix": "Fix with AutoGPT",
  "capability.virtualWorkspaces":
    "The agent works with the files of a virtual workspace, with diffs and undo. It can't run programs, Python or git there. Runs and memories are kept in the extension's storage.",
  "capability.untrustedWorkspaces":
    "In Restricted Mode only the demo runs, in a folder of its own, and nothing in the folder's .autogpt is loaded. Past runs are read-only.",
  "chat.participant": "Work on a task in the workspace, step by step, with your approval.",
  "chat.plan": "Read and plan first. The plan is carried out once you agree to it.",
  "chat.resumeCommand": "Resume the run of this chat, or the newest interrupted one.",
  "tool.title": "AutoGPT",
  "tool.description": "Give a task to AutoGPT, which works on it in steps that you approve.",
  "walkthrough.title": "Get started with AutoGPT",
  "walkthrough.description": "An agent that you can watch, steer and trust, in five steps.",
  "walkthrough.model.title": "Choose a model",
  "walkthrough.model.description":
    "Use a key of OpenAI, Azure or another service, the models in your editor, or a local server. Ollama and LM Studio are detected automatically. No model at hand? Continue with the demo.\n[Choose a Model](command:autogpt.selectModel)\n[Set an API Key](command:autogpt.setApiKey)",
  "walkthrough.model.picture": "A list of models, one of them chosen",
  "walkthrough.start.title": "Start a run",
  "walkthrough.start.description":
    "Describe what you want in one sentence, and press Send. The demo needs no model: its replies are scripted, but the files, the tests and your decisions are real.\n[Open AutoGPT](command:autogpt.openPanel)\n[Try the Demo](command:autogpt.tryDemo)",
  "walkthrough.start.picture": "A text box with a task, and a button that sends it",
  "walkthrough.approve.title": "Approve a step",
  "walkthrough.approve.description":
    "The agent thinks aloud and proposes one step at a time. Read the diff, edit it if you like, and approve it. Or type what the agent should do instead.\n[Show the Proposal](command:autogpt.openPanel)",
  "walkthrough.approve.picture": "A proposed change with its diff, and buttons to approve or reject it",
  "walkthrough.review.title": "Review or undo the changes",
  "walkthrough.review.description":
    "See all changes of a run in one editor. Keep them, commit them, or undo them: a step or all of it.\n[Review All Changes](command:autogpt.reviewChanges)\n[Undo a Run](command:autogpt.undoRun)",
  "walkthrough.review.picture": "The changes of a run, file by file",
  "walkthrough.limits.title": "Set your limits",
  "walkthrough.limits.description":
    "See what the agent may do without asking, and revoke what you don't want. Set a budget for money, steps and time, or choose Isolated: the agent then works in a sandboxed copy without asking, and you review the result.\n[Show What Is Allowed](command:autogpt.showPermissions)\n[Open Settings](command:workbench.action.openSettings?%5B%22autogpt.run%22%5D)",
  "walkthrough.limits.picture": "Budgets, and a shield with a check mark",
} as const;
