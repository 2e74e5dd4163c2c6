/** Texts of the extension's manifest besides titles of actions and settings. `package.nls.json` is generated from all of them. */
export const MANIFEST_TEXTS = {
  "view.panel": "Agent",
  "view.runs": "Runs",
  "capability.virtualWorkspaces":
    "The agent works with the files of a virtual workspace, with diffs and undo. It can't run programs, Python or git there. Runs and memories are kept in the extension's storage.",
  "capability.untrustedWorkspaces":
    "In Restricted Mode the agent doesn't run, and nothing in the folder's .autogpt is loaded. Past runs are read-only.",
} as const;
