import { CARD_BUTTON_NAMES, type CardAction, cardButtonRow } from "./card-buttons.ts";

/** Titles of the palette actions that buttons of the card have. The type's names are those of the rows. */
const CARD_TITLES = Object.fromEntries(
  CARD_BUTTON_NAMES.flatMap((name) => {
    const { palette } = cardButtonRow(name);
    return palette ? [[palette.action, palette.title]] : [];
  }),
) as Readonly<Record<CardAction, string>>;

/** Palette actions by name, with their titles. Each is `autogpt.<name>` in package.json, which is generated from this table. */
export const ACTION_TITLES = {
  startAgent: "Start Agent",
  startAgentManually: "Start Agent (Manual Profile)",
  startIsolated: "Start Isolated Agent",
  tryWays: "Try N Ways…",
  showWays: "Compare Ways",
  startFromSelection: "Start Agent on Selection",
  stopAgent: "Stop Agent",
  pauseAgent: "Pause Agent",
  continueAgent: "Continue Agent",
  ...CARD_TITLES,
  giveFeedback: "Give Feedback…",
  approveEdited: "Approve with Your Changes",
  dropHunk: "Drop Change at Cursor",
  restoreHunk: "Restore Change at Cursor",
  keepHunk: "Drop All Changes Except at Cursor",
  toggleContinuous: "Toggle Continuous Mode",
  openPanel: "Open Agent Panel",
  openPanelInEditor: "Open Agent Panel in Editor",
  showPrompt: "Show Prompt of Step",
  showPermissions: "Show What Is Allowed",
  openRun: "Open Run",
  openRunAsText: "Open Run as Text",
  resumeRun: "Resume Run",
  deleteRun: "Delete Run",
  pinRun: "Pin Run",
  unpinRun: "Unpin Run",
  renameRun: "Rename Run…",
  filterRuns: "Filter Runs…",
  clearRunFilter: "Show All Runs",
  groupRuns: "Group Runs by Date or State",
  forkRun: "Fork from Step…",
  changeRun: "Change Goals, Budget, Model or Mode…",
  carryOut: "Carry Out the Plan",
  reviewChanges: "Review All Changes of a Run",
  commitChanges: "Commit the Changes of a Run…",
  undoStep: "Undo Step",
  undoRun: "Undo Run",
  redo: "Redo",
  exportRun: "Export Run…",
  importRun: "Import Run…",
  reportProblem: "Report a Problem with a Run…",
  searchRuns: "Search Runs…",
  searchMemory: "Search Memory",
  addToMemory: "Add Selection to Memory",
  addFolderToMemory: "Add Folder to Memory…",
  saveNote: "Save Note in Repository…",
  clearMemory: "Clear Memory",
  chooseEmbedding: "Choose How Memories Are Found…",
  managePlugins: "Manage Plugins…",
  setApiKey: "Set API Key…",
  clearApiKey: "Clear API Key…",
  selectModel: "Select Model…",
  openModels: "Manage Models",
  importClassicSettings: "Import Classic Settings…",
  importMcpServers: "Import MCP Servers…",
  signInToMcpServer: "Sign In to MCP Server…",
  editProfile: "Edit Profile…",
  tryDemo: "Try the Demo",
  showLog: "Show Log",
} as const satisfies Readonly<Record<string, string>>;

export type Action = keyof typeof ACTION_TITLES;
