// Shows the agent's panel the first time that a folder is opened; after that the window is its user's.
const vscode = require("vscode");

exports.activate = async ({ workspaceState }) => {
  if (workspaceState.get("shown")) return;
  await workspaceState.update("shown", true);
  await vscode.commands.executeCommand("autogpt.openPanel");
};
