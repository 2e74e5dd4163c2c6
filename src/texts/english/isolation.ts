/** Texts about isolated runs: their copies, their sandbox and the review of their changes. */
export const isolationTexts = {
  "isolation.ended": "The changes of an isolated run are ready for review: {task}",
  "isolation.ways.title": "Try N ways",
  "isolation.ways.compareTitle": "Compare ways",
  "isolation.ways.compareButton": "Compare",
  "isolation.ways.allDone": "All ways are done: {task}",
  "isolation.ways.checkLine": "Each result is checked by {check}",
  "isolation.ways.noCheck": "No check was given.",
  "isolation.ways.way": "Way",
  "isolation.ways.check": "Check",
  "isolation.ways.cost": "Cost",
  "isolation.ways.steps": "Steps",
  "isolation.ways.time": "Time",
  "isolation.ways.changes": "Changes",
  "isolation.ways.passed": "The check passed",
  "isolation.ways.failed": "The check failed (exit code {code})",
  "isolation.ways.ended": "The check didn't finish",
  "isolation.ways.output": "Output",
  "isolation.ways.unknownCost": "Unknown",
  "isolation.ways.files": { one: "{count} file", other: "{count} files" },
  "isolation.ways.state.waiting": "Waiting",
  "isolation.ways.state.running": "Running",
  "isolation.ways.state.checking": "Checking",
  "isolation.ways.state.done": "Done",
  "isolation.ways.state.failed": "Couldn't start",
  "isolation.ways.state.interrupted": "Interrupted",
  "isolation.ways.reviewButton": "Review",
  "isolation.ways.reviewOf": "Review {way}",
  "isolation.ways.changesOf": "Open changes of {way}",
  "isolation.ways.hint":
    "All of them work in copies of their own and share one budget. Accept one; the others stay until you discard them.",
  "isolation.ways.askTask": "What should be tried in several ways?",
  "isolation.ways.askVariation": "How should the ways differ?",
  "isolation.ways.byModelButton": "Different models…",
  "isolation.ways.byInstructionsButton": "Different instructions…",
  "isolation.ways.sameButton": { one: "Same, {count} time", other: "Same, {count} times" },
  "isolation.ways.askModels": "Pick two or more models",
  "isolation.ways.askInstructions": "Instructions for each way, separated by semicolons",
  "isolation.ways.instructionsExample": "Without new dependencies; With the standard library alone",
  "isolation.ways.askCheck": "Command line that checks each result in its sandbox. Leave it empty for none.",
  "isolation.ways.numbered": "Way {number}",
  "isolation.ways.none": "Nothing is compared yet. Run Try N Ways… from the Command Palette.",
  "isolation.own.refused": "Can't be accepted",
  "isolation.takeButton": "Replace yours",
  "isolation.takeOf": "Replace yours: {file}",
  "isolation.outdated":
    "The copy or your workspace has changed since this was shown. Look at the changes again, then decide.",
  "isolation.leftOut": "{file} was left out: {why}",
  "isolation.noText":
    "{file} can't be shown as text. Accept it to look at it in your workspace; accepting can be undone.",
  "isolation.diffTitle": "{file}: your workspace ↔ accepted result (editable)",
  "isolation.allTitle": "Changes of the isolated run",
  "isolation.branchTitle": "Keep as branch",
  "isolation.branchPrompt": "Name of the new branch. Your checked-out files stay as they are.",
  "isolation.noBranchName": "Enter a name.",
  "isolation.messagePrompt": "Commit message",
  "isolation.branchMade": "The changes are on the branch {name}.",
  "isolation.discardQuestion": "Discard all changes of this isolated run?",
  "isolation.discardDetail":
    "Its copy is deleted, and the run can only be read afterward. Your workspace stays as it is. This can't be undone.",
  "isolation.discardButton": "Discard",
  "isolation.undoing": "Undoing the accepted changes…",
  "isolation.copying": "Copying the workspace for an isolated run…",
  "isolation.copied": { one: "{count} file", other: "{count} files" },
  "isolation.startTitle": "Start isolated agent",
  "isolation.continuousHint":
    "An isolated run doesn't ask either, but works in a sandboxed copy whose changes you review at the end.",
  "isolation.insteadTitle":
    "Starts the same task in a sandboxed copy, where nothing asks. This run stays as it is.",
  "isolation.allowedInside": "Everything that stays in its sandboxed copy",
  "isolation.neverAsks":
    "This run is isolated: anything that stays in its copy never asks, and anything that leaves the copy asks as usual.",
  "isolation.mode": "Isolated",
  "isolation.modeHint": "Works in a sandboxed copy without asking, then shows all changes for your review",
  "isolation.unavailable": "Isolated runs aren't available here.",
  "isolation.startHint":
    "The agent works in a sandboxed copy and doesn't ask. You review all changes at the end.",
  "isolation.networkOff": "Network: off.",
  "isolation.networkOn": "Network: only {hosts}.",
  "isolation.lentNone": "Files with secrets: left out.",
  "isolation.lent": "Files with secrets: only {files}.",
  "isolation.hostsButton": "Allow hosts…",
  "isolation.lendButton": "Share secrets…",
  "isolation.hostsTitle": "Allow hosts",
  "isolation.hostsPrompt":
    'Hosts that programs of isolated runs may reach, separated by commas. "registries" stands for the package registries. Leave it empty for no network.',
  "isolation.lendTitle": "Share secrets",
  "isolation.lendPrompt":
    "Patterns of secret files that isolated runs get, separated by commas. Leave it empty to leave out all of them.",
  "isolation.badge": "Isolated",
  "isolation.badgeTitle": "Works in a sandboxed copy. What stays in it doesn't ask.",
  "isolation.sandbox": "Sandbox",
  "isolation.engine": "Engine: {engine}.",
  "isolation.limited.memory": "Memory is limited",
  "isolation.limited.processes": "Number of processes is limited",
  "isolation.limited.disk": "Disk space is limited",
  "isolation.limited.time": "Processor time is limited",
  "isolation.unlimited.memory": "Memory can't be limited here",
  "isolation.unlimited.processes": "Number of processes can't be limited here",
  "isolation.unlimited.disk": "Disk space can't be limited here",
  "isolation.unlimited.time": "Processor time can't be limited here",
  "isolation.copyAt": "The copy is in {path}.",
  "isolation.reviewHeading": "Changes so far",
  "isolation.comparing": "Comparing the copy with your workspace…",
  "isolation.noChanges": "The copy has no changes that your workspace doesn't have.",
  "isolation.changed": {
    one: "{count} file changed in the copy",
    other: "{count} files changed in the copy",
  },
  "isolation.ownHeading": "Accept one by one",
  "isolation.ownHint": "Look at these changes before you accept them. Accepting the others leaves them out.",
  "isolation.othersHeading": "Other changes",
  "isolation.own.conflict": "Conflict",
  "isolation.own.outside": "Outside the workspace",
  "isolation.own.protected": "Protected file",
  "isolation.own.steers": "Steers programs",
  "isolation.own.runs": "Runs by itself",
  "isolation.own.git": "Run by git",
  "isolation.own.link": "Link",
  "isolation.own.mode": "Permissions",
  "isolation.own.name": "Unusual name",
  "isolation.own.binary": "Binary file",
  "isolation.own.huge": "Large file",
  "isolation.kind.created": "New",
  "isolation.kind.deleted": "Deleted",
  "isolation.merged": "Merged with your changes",
  "isolation.edited": "Edited by you",
  "isolation.choose": "Accept {file} with the others",
  "isolation.openChange": "Open the changes of {file}",
  "isolation.mergeButton": "Merge…",
  "isolation.mergeOf": "Merge {file}…",
  "isolation.acceptButton": "Accept",
  "isolation.acceptOf": "Accept {file}",
  "isolation.acceptAllButton": "Accept all",
  "isolation.acceptSomeButton": { one: "Accept {count} file", other: "Accept {count} files" },
  "isolation.openChangesButton": "Open changes",
  "isolation.more": "More ways to decide",
  "isolation.askButton": "Ask for changes…",
  "isolation.askHint": "Ask for changes; the agent continues in the same copy",
  "isolation.undoButton": "Undo accepting…",
  "isolation.lines": {
    one: "{count} command line run without asking",
    other: "{count} command lines run without asking",
  },
  "isolation.exitCode": "Exit code {code}",
  "isolation.notes": {
    one: "{count} difference between copy and workspace",
    other: "{count} differences between copy and workspace",
  },
  "isolation.modeIsolated": "Mode: isolated",
  "isolation.reviewed.accepted": {
    one: "Accepted {count} file into the workspace.",
    other: "Accepted {count} files into the workspace.",
  },
  "isolation.reviewed.branch": {
    one: "Committed {count} file to the branch {branch}.",
    other: "Committed {count} files to the branch {branch}.",
  },
  "isolation.reviewed.discarded": {
    one: "Discarded the changes of {count} file.",
    other: "Discarded the changes of {count} files.",
  },
  "isolation.reviewed.withdrawn": {
    one: "Undid the accepted changes to {count} file.",
    other: "Undid the accepted changes to {count} files.",
  },
  "isolation.reviewed.conflicts": {
    one: "{count} file has conflicts and was left out.",
    other: "{count} files have conflicts and were left out.",
  },
  "isolation.policy.inside": "It stays in the copy of this isolated run.",
  "isolation.untrusted":
    "An isolated run can't start in Restricted Mode. Trust this folder first, if you know who wrote it.",
  "isolation.virtual":
    "An isolated run needs files on this machine, and this folder isn't on its disk. Open a local folder.",
  "isolation.copyUnusable": "{why} This isolated run can only be read. Start a new run to continue its work.",
  "isolation.discarded":
    "The changes of this isolated run were discarded with its copy, so the run can only be read.",
  "isolation.notInCopy": "It works through the editor, which shows the workspace and not the copy.",
  "isolation.walls.otherSystem": "This system has no sandbox for isolated runs. Install Docker or Podman.",
  "isolation.walls.noBubblewrap":
    "Isolated runs need bubblewrap, which isn't installed. Install the package bubblewrap.",
  "isolation.walls.noNsenter":
    "Isolated runs need nsenter, which isn't installed. Install the package util-linux.",
  "isolation.walls.oldBubblewrap":
    "Isolated runs need bubblewrap {needed} or newer, and {version} is installed. Update the package bubblewrap.",
  "isolation.walls.forbidden":
    "Isolated runs need user namespaces, which this system forbids. To allow them, run: sudo sysctl -w {setting}",
  "isolation.walls.failed":
    "The sandbox for isolated runs can't be used here: {said}. Install Docker or Podman, or allow user namespaces if this is a container.",
  "isolation.walls.leaks":
    "This system's sandbox doesn't confine programs well enough for isolated runs. Programs reached: {what}. Choose another engine in autogpt.isolation.engine.",
  "isolation.folderGone":
    "The workspace folder {folder} is no longer there, so the changes of this run can't be reviewed. Restore the folder, and review them again.",
  "isolation.reviewedElsewhere":
    "Another window or program is working on the review of this run. Wait until it's done, then try again.",
  "isolation.accept.damaged":
    "The plan of an interrupted acceptance can't be read, or wasn't made by you on this machine. Compare the workspace with version control, then delete {folder}.",
  "isolation.accept.none": "There are no accepted changes to undo.",
  "isolation.accept.notKept": "{file} can't be saved for undo: {why}",
  "isolation.accept.reverted": "Nothing was accepted, and the workspace is as it was before: {why}",
  "isolation.why.binary":
    "It was changed by the run and in the workspace, and it isn't text that can be merged.",
  "isolation.why.bothChanged": {
    one: "The run and the workspace changed the same lines, in {count} place.",
    other: "The run and the workspace changed the same lines, in {count} places.",
  },
  "isolation.why.changedSince": "It was changed after the review was opened. Review the changes again.",
  "isolation.why.deletedHere": "The run changed it, and it was deleted in the workspace.",
  "isolation.why.deletedThere": "The run deleted it, and it was changed in the workspace.",
  "isolation.why.encoding":
    "Its encoding is {encoding}, which can't represent one of the characters. Remove that character.",
  "isolation.why.folder": "The workspace now has a folder with this name.",
  "isolation.why.markers": "It still contains conflict markers. Edit the lines between them first.",
  "isolation.why.name": "Its name isn't allowed in a workspace, so it can't be accepted.",
  "isolation.why.needs": "It can only be accepted together with {file}.",
  "isolation.why.notAFolder": "A file or a link is where its folder should be.",
  "isolation.why.otherKind": "The workspace now has something else with this name.",
  "isolation.why.sameName":
    "Its name differs from {file} only in case, and this disk doesn't distinguish them.",
  "isolation.why.special": "It's a device, a socket, or something else that is neither a file nor a link.",
  "isolation.why.tooLarge": "It's larger than 2 GB, so it can't be accepted.",
  "isolation.why.tooLong": "It was changed by the run and in the workspace, and it's too large to be merged.",
  "isolation.why.unsaved":
    "It has unsaved changes in an editor. Save it first, then review the changes again.",
  "isolation.copy.noFolder": "The folder {folder} no longer exists. Open it again, then start the run.",
  "isolation.copy.exists": "This run already has a copy. Start a new run.",
  "isolation.copy.diskFull":
    "The disk is full, so the copy couldn't be made. Free some space, or delete isolated runs that you no longer need.",
  "isolation.copy.overQuota":
    "The copy would take more than {megabytes} MB. Raise autogpt.isolation.quotaMb, or open a smaller folder.",
  "isolation.copy.noRoom":
    "There's no room for the copy: other isolated runs take {held} of {megabytes} MB. Discard or delete those that you no longer need, or raise autogpt.isolation.quotaMb.",
  "isolation.copy.git": "The repository {folder} can't be copied. {why}",
  "isolation.copy.gitName":
    "The repository {folder} can't be copied, because the path of its objects contains characters that git doesn't support there. Move it to another folder.",
  "isolation.copy.failed": "The copy couldn't be made: {why}. The workspace wasn't changed.",
  "isolation.copy.gone": "The copy of this run is gone.",
  "isolation.copy.damaged": "The description of this run's copy is damaged.",
  "isolation.copy.subfolder": "Only the opened folders of the repository {folder} are in the copy.",
  "isolation.copy.partialClone":
    "{folder} is a partial clone. Objects that aren't on this machine can't be fetched in the copy.",
  "isolation.copy.leftOut.secret":
    "Left out because they may hold secrets: {files}. To share them, add them to autogpt.isolation.lend.",
  "isolation.copy.leftOut.excluded":
    "Left out because of .autogptignore: {files}. To share them, add them to autogpt.isolation.lend.",
  "isolation.copy.leftOut.large":
    "Left out because git ignores them and they're large: {files}. To share them, add them to autogpt.isolation.lend.",
  "isolation.copy.leftOut.unreadable": "Left out because they can't be read: {files}.",
  "isolation.copy.leftOut.special": "Left out because they aren't regular files: {files}.",
  "isolation.copy.leftOut.bytes":
    "Copied, but changes to them can't be reviewed or accepted, because their names aren't UTF-8: {files}.",
  "isolation.copy.leftOut.name": "Left out because their names can't be used in the copy: {files}.",
  "isolation.noShell":
    "Command lines are turned off (autogpt.shell.enabled), so the check can't run. Turn them on, or leave the check out.",
  "isolation.stopFirst": "The run is still working in its copy. Stop it first.",
  "isolation.notIsolated":
    "This run doesn't work in a copy, so there is nothing to review. Its changes are in the workspace.",
  "isolation.forkNow":
    "A fork of an isolated run gets its own copy, with the files as they are now. Fork again, and leave the files as they are now.",
  "isolation.ways.count": "A task can be tried in 2 to {most} ways at once. Choose another number.",
  "isolation.branch.exists":
    "The branch name {branch} is taken or conflicts with another branch. Choose another name.",
  "isolation.branch.badName": "{branch} isn't a valid branch name. Choose another one.",
  "isolation.branch.filter":
    "Committing {file} needs the git filter {filter}, which isn't run here. Accept the changes instead, and commit them yourself.",
  "isolation.branch.nothing": "There are no changes to keep on a branch.",
  "isolation.branch.noRepository":
    "{folder} isn't in a git repository, so its changes can't be kept on a branch. Accept them instead.",
  "isolation.branch.special": "{file} can't be committed: {why}",
  "isolation.branch.submodule":
    "{file} is in a submodule or another repository, so it can't be kept on a branch of this one. Accept it instead.",
  "isolation.branch.failed": "The changes weren't kept on a branch, and the repository is as it was. {why}",
  "isolation.walls.noEngine":
    "{name} isn't installed. Install it, or choose another engine in autogpt.isolation.engine.",
  "isolation.walls.engineSilent":
    "{name} is installed but doesn't answer. Start it, or choose another engine in autogpt.isolation.engine.",
  "isolation.walls.noImage":
    "{name} doesn't have the image for isolated runs yet. To download it, run: {command}",
  "isolation.walls.noSeatbelt":
    "Isolated runs need sandbox-exec, which this system doesn't have. Install Docker or Podman.",
} as const;
