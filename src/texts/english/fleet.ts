/** Texts about runs that go on without this window. */
export const fleetTexts = {
  "fleet.mode": "Send to…",
  "fleet.modeHint": "Work on another machine or a fleet of yours, in a sandboxed copy, even after this window closes",
  "fleet.startHint":
    "The agent works in a sandboxed copy on another machine or a fleet of yours, even after this window closes. It asks you here. You choose the place next.",
  "fleet.sendTitle": "Send to another machine",
  "fleet.whichMachine": "A machine of your ~/.ssh/config, or a fleet",
  "fleet.noMachines": "Your ~/.ssh/config names no machine yet: add a Host entry for one there, or a fleet here",
  "fleet.isFleet": "Fleet on Temporal",
  "fleet.add": "Add a fleet…",
  "fleet.addressPrompt": "Address of the fleet's Temporal server",
  "fleet.apiKeyPrompt":
    "API key of the server; leave it empty if it needs none. Certificates come from the environment: AUTOGPT_TEMPORAL_CA, _CERT and _KEY.",
  "fleet.keyPrompt":
    "This machine has no fleet key yet. Paste that of the fleet's workers, which is printed there by: autogpt fleet key export",
  "fleet.repositoryPrompt":
    "{folder} has no remote repository. Address of the one through which the run and its files travel to the workers",
  "fleet.looking": "Connecting to {machine}",
  "fleet.sending": "Sending the task to {machine}",
  "fleet.firstSend": "Send this task to {machine}?",
  "fleet.firstSendDetail": {
    one: "By your own ssh, {machine} gets {count} file of {folder} ({size}) as it is now, without ignored files and new ones that may hold secrets, and with the history of its repository, whatever that holds.\n\nIt also gets the task, these settings: {settings}, and the key that seals your runs, if it lacks that.\n\nIt gets no keys of models: it uses its own. For this repository and {machine}, this isn't asked again.",
    other:
      "By your own ssh, {machine} gets {count} files of {folder} ({size}) as they are now, without ignored files and new ones that may hold secrets, and with the history of its repository, whatever that holds.\n\nIt also gets the task, these settings: {settings}, and the key that seals your runs, if it lacks that.\n\nIt gets no keys of models: it uses its own. For this repository and {machine}, this isn't asked again.",
  },
  "fleet.firstSendFleetDetail": {
    one: "To the repository {repository} goes, readable for everybody who may read that: {count} file of {folder} ({size}) as it is now, without ignored files and new ones that may hold secrets, and with the history, whatever that holds.\n\nEncrypted with your fleet key, so that only your workers can read them: the task and these settings: {settings}. The server of {machine} sees IDs, times and states.\n\nNo keys of models are sent: the workers use their own, and fetch from that repository. For this repository and {machine}, this isn't asked again.",
    other:
      "To the repository {repository} go, readable for everybody who may read that: {count} files of {folder} ({size}) as they are now, without ignored files and new ones that may hold secrets, and with the history, whatever that holds.\n\nEncrypted with your fleet key, so that only your workers can read them: the task and these settings: {settings}. The server of {machine} sees IDs, times and states.\n\nNo keys of models are sent: the workers use their own, and fetch from that repository. For this repository and {machine}, this isn't asked again.",
  },
  "fleet.noSettings": "none",
  "fleet.sendButton": "Send",
  "fleet.noPictures":
    "A run in another place gets pictures only with its task. Remove them, then send your words; or send a new task with them.",
  "fleet.badgeTitle": "Works on {machine}, in a sandboxed copy, even after this window closes",
  "fleet.lost": "No connection. The run continues there. {why}",
  "fleet.notStopped": "The run wasn't stopped. {why}",
  "fleet.notTakenBack":
    "The task was sent to {machine} before you canceled, and couldn't be stopped there. Stop it under Fleet in the list of runs. {why}",
  "fleet.filesThere":
    "The files of this run are on {machine}. To see them, bring its changes here with Review changes.",
  "fleet.stopSent": "The stop is on its way. If no machine works on the run yet, it ends as soon as one takes it.",
  "fleet.unfollowed": "The run isn't followed here now. Continue to see again what it does on {machine}.",
  "fleet.worksThere": "This run works on another machine, where it can't be changed that way.",
  "fleet.onlyApprove": "A proposal from another machine can be approved or rejected, but not edited.",
  "fleet.strangeRun": "The other machine sent another run than the one that was asked for. Check which version it has.",
  "fleet.notBegun":
    "No machine has begun with the run yet. It waits under Fleet in the list of runs, and its questions reach you once one has. {why}",
  "fleet.clientEnded":
    "The program that speaks to the fleet has ended ({code}). The runs there continue; try again, and reload the window if that doesn't help.",
  "fleet.waits": "{task}: waits for you on {machine}",
  "fleet.state.working": "Working",
  "fleet.state.waiting": "Waiting for your answer",
  "fleet.state.ended": "Ended",
  "fleet.state.silent": "Interrupted",
  "fleet.noRuns": "No runs on {machine}",
  "fleet.notReached": "{machine} can't be reached",
  "fleet.lookAgain": "Look again",
  "fleet.fetching": "Fetching the changes from {machine}",
  "fleet.on": "on {machine}",
  "fleet.forget": "Remove this run from the list?",
  "fleet.forgetDetail": "It continues on {machine}, and what it did there stays there.",
  "fleet.forgetButton": "Remove",
  "fleet.forgetPlace": "Remove {machine} from the list?",
  "fleet.forgetPlaceDetail": {
    one: "{count} run there leaves the list, too. It stays there, and continues if it works.",
    other: "{count} runs there leave the list, too. They stay there, and those that work continue.",
  },
  "fleet.removeDetail":
    "It stays on {machine}. Delete there also deletes its copy, with all changes that you haven't fetched.",
  "fleet.removeButton": "Delete there",
  "fleet.removing": "Deleting the run on {machine}",
  "fleet.keyDamaged":
    "The fleet key in {path} is damaged. Remove the file, then import the key from another machine with: autogpt fleet key import",
  "fleet.keyExists":
    "There is another fleet key in {path}. Runs that were started with it can't be read without it; to use a new one, move that file away first.",
  "fleet.noKeyText":
    'That isn\'t a fleet key. It begins with "autogpt-fleet-1"; print it on the other machine with: autogpt fleet key export',
  "fleet.noKey":
    "There is no fleet key on this machine. Make one with: autogpt fleet key create, or import yours with: autogpt fleet key import",
  "fleet.notDecrypted":
    "What was carried for this run can't be read: it's damaged, or it was written with another fleet key. Compare the keys with: autogpt fleet key export",
  "fleet.runOfOthers":
    "This run belongs to a fleet whose key isn't on this machine. You can read it here; to review it, import the key with: autogpt fleet key import",
  "fleet.notClaimed":
    "This run works on another machine. Continue it there with: autogpt fleet say {run} WORDS; or fork it to work on here.",
  "fleet.noKeygen":
    "The program ssh-keygen isn't on this machine, so signatures can't be made or checked. Install OpenSSH.",
  "fleet.notSigned":
    "Nothing was sent, because ssh-keygen can't sign with {path}. It says: {why} Add a key with a passphrase to the SSH agent, and put its public key there.",
  "fleet.decision.unreadable": "The answer can't be read: it's cut off, too long, or none. Answer again.",
  "fleet.decision.foreign":
    "The answer is for another run, another attempt or another fleet key. Answer the question as it's shown now.",
  "fleet.decision.otherVersion":
    "The answer was written by another version of AutoGPT. Update both machines, then answer again.",
  "fleet.decision.changed": "What was asked has changed since the answer. Look at the new question, then answer it.",
  "fleet.decision.late": "The answer came too late. The run asks again; answer the new question.",
  "fleet.decision.clock":
    "The answer is from the future: the clock of one of the machines is wrong. Set it, then answer again.",
  "fleet.decision.noSigner":
    "The answer has no signature of a person who may decide. They are in the file allowed_signers of the machine that runs.",
  "fleet.decision.again": "This question was answered already. The first answer counts.",
  "fleet.message.foreign":
    "What was said isn't for this run, or wasn't written with your fleet key, so it changed nothing. Say it again; if that doesn't help, update AutoGPT on both machines.",
  "fleet.message.noSigner":
    "Words and stops need the signature of a person who may decide, so this changed nothing. They are in the file allowed_signers of the machine that runs.",
  "fleet.message.late":
    "This came after later words of yours, so it changed nothing. Say it again if it still matters.",
  "fleet.message.old":
    "This was said more than three days ago, so it changed nothing. Say it again if it still matters.",
  "fleet.questionRefused":
    "The question that arrived wasn't asked by a machine with your fleet key, so it isn't shown. Update AutoGPT there, and compare the keys with: autogpt fleet key export",
  "fleet.taskNotSigned":
    "{machine} doesn't work on this task of {sender}: it has no signature of a person who may submit. They are in fleet/allowed_signers of its data folder, with the namespace autogpt-submit.",
  "fleet.taskElsewhere":
    "{machine} doesn't work on this task of {sender}: it was signed for another repository than {address}. Send it through that one, or name the other one with --repository.",
  "fleet.fruitless":
    "{attempts} attempts in a row were lost before the model had replied, so no more are made. Look whether its machines have enough memory, then say something to it.",
  "fleet.badRun": '"{run}" isn\'t the ID of a run. Copy it from the list of runs.',
  "fleet.git": "Git couldn't do its part in moving the run: {why}",
  "fleet.unreachable":
    "The repository at {address} can't be reached: {why} Check the address and your access, then try again; nothing was lost.",
  "fleet.pushRefused":
    "The repository at {address} doesn't take the run: {why} Allow pushes to refs/autogpt/ there, or name another repository.",
  "fleet.shallow":
    "The repository of {folder} is a shallow clone, whose history can't be sent. Fetch the rest of it with: git fetch --unshallow",
  "fleet.gone":
    "The commits of the run {run} were deleted from the repository, so this machine has stopped working on it. Restore refs/autogpt/{run} there, or send the task again.",
  "fleet.taken":
    "Another machine has taken the run {run} over, so this one has stopped working on it. Follow it there.",
  "fleet.unknown": "There is no run {run} in this repository. Check the ID, and that the run was sent here.",
  "fleet.exists": "There is a run {run} in this repository already. Send the task again: it gets a new ID.",
  "fleet.notCarried":
    "What was carried for the run {run} is damaged, or was changed without the key. Nothing was laid out; send the task again.",
  "fleet.newer":
    "A newer version of AutoGPT sent this task. Update AutoGPT on this machine; the task stays where it is.",
  "fleet.objectsGone":
    "A part of the run is missing in the repository ({blob}). Fetch it whole, without a depth or a filter, then try again.",
  "fleet.rolledBack":
    "The repository has an older state of the run {run} than this machine has seen, so it isn't continued. Restore the newer refs/autogpt/{run}.",
  "fleet.logRefused":
    "The log of the run {run} has lines that no machine of the fleet wrote in its turn, so it isn't continued. Send the task again.",
  "fleet.notSealed":
    "{host} sent a log that none of your machines has written, so it isn't shown. Compare the fleet keys with: autogpt fleet key export",
  "fleet.badName": 'The carried files have a name that no copy may have ("{file}"), so nothing was laid out.',
  "fleet.worksHere": "This machine works on the run itself. Review it in {folder}.",
  "fleet.tooOld":
    "The task of the run {run} is more than 90 days old, and this machine doesn't know the run, so it isn't begun. Send the task again.",
  "fleet.stillWorks":
    "The run works or waits there, so it wasn't removed. Stop it first, with: autogpt fleet stop {run}",
  "fleet.noRepository": "{folder} isn't in a git repository, through which runs move. Create one there, and commit.",
  "fleet.noHome":
    "Runs can't be kept in {folder}: it can't be written, or its .autogpt is a link. Make it a folder of yours that can be written.",
  "fleet.leftOut": "Not sent, because they may hold secrets or are too large: {files}.",
  "fleet.leftBehind": "Left behind on the other machine, because they may hold secrets or are too large: {files}.",
  "fleet.submodules": "Submodules aren't sent; their folders are empty there.",
  "fleet.lfs": "Files of Git LFS aren't sent; only their pointers are there.",
} as const;
