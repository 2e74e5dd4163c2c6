/** Texts about what went wrong, and what to do next. */
export const troubleTexts = {
  "trouble.oldNode":
    "AutoGPT needs Node.js 22 or later, but {app} runs extensions with Node.js {version}. Update {app}, or start it with a newer Node.js.",
  "trouble.known.picturesNotTaken":
    "{server} didn't take the pictures for {model}, so the model gets only their names.",
  "trouble.known.saidAfter": '{text} It said: "{words}".',
  "trouble.known.said": 'It said: "{words}".',
  "trouble.known.runContinuesWithoutIt": "{text} The run continues without it.",
  "trouble.known.continueRunOrFork": "{idle} Continue that run, or fork this one.",
  "trouble.known.tellItWhatDo": "{did} Tell it what to do differently, or choose another model.",
  "trouble.known.tryingAgainAttempt": "{what} Trying again in {time} (attempt {attempt} of {attempts}).",
  "trouble.known.wasTriedTimes": "{what} It was tried {attempts} times.",
  "trouble.known.inboxAutogptmemoryLinkAnother":
    "The inbox in .autogpt/memory is a link to another place, so nothing is written there. Remove the link.",
  "trouble.known.memoryFolderLinkAnother":
    "The memory folder is a link to another place, so it isn't used. Remove the link.",
  "trouble.known.anotherWindowHasTaken":
    "Another window has taken over the memory; this one reads it and hands over new memories.",
  "trouble.known.anotherWindowWritingThis":
    "Another window is writing this memory. Do this there, or close that window first.",
  "trouble.known.aPartMemoryDamaged": "A part of the memory is damaged ({segment}); the rest is in use.",
  "trouble.known.diskFullSoThis":
    "The disk is full, so this wasn't remembered; earlier memories are safe. Free some space.",
  "trouble.known.memoryFolderCantWritten":
    "The memory folder can't be written, so this wasn't remembered. Check the permissions of .autogpt/memory.",
  "trouble.known.memoryFolderCouldntUsed":
    "The memory folder couldn't be used ({reason}). Earlier memories are safe; reload the window to try again.",
  "trouble.known.memoryAutogptmemoryWasWritten":
    "The memory in .autogpt/memory was written by a newer version of AutoGPT, so it isn't used. Update the extension, or clear the memory to start over.",
  "trouble.known.linkAnotherPlaceSo":
    "{target} is a link to another place, so nothing is written there. Remove the link.",
  "trouble.known.noSpaceForMore": "There is no space for more memories. Clear the ones you no longer need.",
  "trouble.known.nothingRememberTextEmpty":
    "There is nothing to remember: the text is empty. Write some text.",
  "trouble.known.memoryDidntAnswerTime":
    "The memory didn't answer in time, so nothing was recalled for this step.",
  "trouble.known.embeddingServerDidntSend":
    "The embedding server didn't send one vector for each text. Check autogpt.model.embedding; until then, memories are found only by their words.",
  "trouble.known.embeddingModelNowReturns":
    "The embedding model now returns vectors of {now} numbers instead of {before}, and they can't be mixed. Choose the previous model or another one (autogpt.model.embedding); until then, memories are found only by their words.",
  "trouble.known.offlineEncoderCouldntInstalled":
    "The offline encoder couldn't be installed ({said}). Try again later.",
  "trouble.known.downloadHasWrongChecksum":
    "The download of {one} has the wrong checksum, so it was deleted. Try again later, or from another network.",
  "trouble.known.offlineEncoderDoesntWork":
    "The offline encoder doesn't work at the moment ({why}). It's retried automatically; until then, new memories are found only by their words.",
  "trouble.known.embeddingModelDoesntAccept":
    "The embedding model {model} doesn't accept this text, so it's found only by its words.",
  "trouble.known.embeddingModelCantUsed":
    "The embedding model {model} can't be used. Check the key and autogpt.model.embedding, then reload the window; until then, memories are found only by their words.",
  "trouble.known.embeddingModelDoesntAnswer":
    "The embedding model {model} doesn't answer at the moment. It's retried automatically; until then, new memories are found only by their words.",
  "trouble.known.serversAnswerForEmbedding":
    "The server's answer for the embedding model {model} isn't one list of numbers per text. Check autogpt.model.embedding; until then, memories are found only by their words.",
  "trouble.known.keptContentFileGone": "The kept content of the file is gone, so the file can't be restored.",
  "trouble.known.aProgramChangedIt": "A program changed it, and its earlier content wasn't kept.",
  "trouble.known.wasLink": "It was a link.",
  "trouble.known.wasChangedAgainRight": "It was changed again right after the program.",
  "trouble.known.wasSavedEditorWhile": "It was saved in the editor while the program ran.",
  "trouble.known.stepChangedItToo": "Step {step} changed it too, later. Undo that step first.",
  "trouble.known.someoneElseChangedIt": "Someone else changed it between two changes of the agent.",
  "trouble.known.wasChangedMeantime": "It was changed in the meantime.",
  "trouble.known.runWasInterruptedWhile":
    "The run was interrupted while it changed this file, so the agent's change is unknown.",
  "trouble.known.wasChangedAfterward": "It was changed afterward.",
  "trouble.known.stepHasntEndedRun": "Step {step} hasn't ended in that run. Choose one that has.",
  "trouble.known.idThisMachineCant":
    "The id of this machine can't be stored in {path}. Make that file writable, or remove it if it's damaged.",
  "trouble.known.notFolderSoNothing":
    "{path} is a {value}, not a folder, so nothing in it is read or written. Put a folder in its place.",
  "trouble.known.theresNoRunHere": 'There\'s no run "{id}" here. Look for its name in the list of runs.',
  "trouble.known.runsFolderWasRenamed":
    "The run's folder was renamed from {id}. You can read it here; rename it back to resume it.",
  "trouble.known.logThisRunEmpty":
    "The log of this run is empty or damaged from its first line on, so there's nothing to show.",
  "trouble.known.logThisRunDamaged":
    "The log of this run is damaged. The readable part is shown; fork it to continue.",
  "trouble.known.aNewerVersionAutogpt":
    "A newer version of AutoGPT wrote this run. You can read it here; update the extension to resume it.",
  "trouble.known.anotherMachineOrUser":
    "Another machine or user wrote this run. You can read it here, or fork it to continue from it.",
  "trouble.known.thisAgentWorkedFor":
    "This agent worked for another run and continues only with it. You can read it here, or fork it to continue from it.",
  "trouble.known.diskFullSoRuns":
    "The disk is full, so the run's log {path} can't be written. Free some space to continue the run: nothing that was recorded is lost.",
  "trouble.known.runsLogOnReadonly":
    "The run's log {path} is on a read-only disk. Open the folder from another location, then start again.",
  "trouble.known.runsLogSymbolicLink":
    "The run's log {path} is a symbolic link, which isn't followed. Remove the link, then start again.",
  "trouble.known.tooManyFilesAre":
    "Too many files are open, so the run's log {path} can't be written. Close some programs to continue the run.",
  "trouble.known.runsLogCantWritten":
    "The run's log {path} can't be written ({error}). Check that its folder exists and can be written to continue the run.",
  "trouble.known.logDoesntBeginWith":
    "The log doesn't begin with the start of a run, so the run can be neither shown nor resumed.",
  "trouble.known.lineLogRunShown":
    "Line {value} of {lines} of the log {what}. The run is shown up to there; fork it to continue.",
  "trouble.known.anotherWindowOrProgram":
    "Another window or program has continued this run, so it ends here. Open the run again to see its current state.",
  "trouble.known.debugFilesCantWritten":
    "Debug files can't be written: {error}. Turn off autogpt.log.debugFiles, or free the folder.",
  "trouble.known.thatFileTooLarge": "That file is too large for a run. Choose a run exported as JSON.",
  "trouble.known.thatFileIsntExported":
    "That file isn't an exported run. Choose one that was exported as JSON, or a problem report.",
  "trouble.known.aNewerVersionAutogpt2":
    "A newer version of AutoGPT exported this run. Update the extension to import it.",
  "trouble.known.eventFileDamagedSo":
    "Event {value} of {length} in that file is damaged, so nothing was imported.",
  "trouble.known.thatFileDoesntBegin": "That file doesn't begin with the start of a run.",
  "trouble.known.runCantRead": "The run can't be read.",
  "trouble.known.thisFolderRestrictedMode": "This folder is in Restricted Mode: runs are read-only here.",
  "trouble.known.thisRunOpenReadonly": "This run is open read-only.",
  "trouble.known.taskWasCompleteAfter":
    "The task was complete after that step. Tell the fork what to do, or fork from an earlier step.",
  "trouble.known.filesVirtualWorkspaceCant":
    "The files of a virtual workspace can't be copied to a new folder. Fork with the current files, or with those of the step.",
  "trouble.known.aRunFromAnother": "A run from another machine can only be forked with the current files.",
  "trouble.known.notebookHasEditsEditor": "The notebook has edits in the editor that are not saved.",
  "trouble.known.modelsDraftCouldntRead":
    "The model's draft couldn't be read, so your task is the only goal. Change it, or start.",
  "trouble.known.modelsDraftCouldNot":
    "The model's draft could not be read. Fill in the profile, or start with these defaults.",
  "trouble.known.noGoalsCouldDrafted": "No goals could be drafted, so your task is the only one.",
  "trouble.known.noProfileCouldDrafted": "No profile could be drafted.",
  "trouble.known.runEndedBeforeProfile": "The run ended before its profile was drafted.",
  "trouble.known.historyWillCompactedBefore": "The history will be compacted before the next step.",
  "trouble.known.historyWasCompactedPrompt":
    "The history was compacted: the prompt went from {before} to {after} tokens. Nothing was removed from the run's log.",
  "trouble.known.nothingCompactHistoryStill": "There is nothing to compact: the history is still short.",
  "trouble.known.runStoppedBeforeNext":
    "The run stopped before its next step, so its history wasn't compacted.",
  "trouble.known.thisRunHasNo": "This run has no plan that needs your approval.",
  "trouble.known.isntFolderOnThis":
    "{folder} isn't a folder on this machine's disk. Open it in VS Code to work in it.",
  "trouble.known.thisWorkspaceVirtualSo":
    "This workspace is virtual ({folder}), so the agent works with its files only: without shell, Python and git.",
  "trouble.known.nothingThisRunWas": "Nothing in this run was undone, so there is nothing to redo.",
  "trouble.known.thisRunReadonly": "This run is read-only.",
  "trouble.known.aCommandThisRun":
    "A command of this run is still running. Wait until it ends, or stop the agent, then undo.",
  "trouble.known.hasEditsEditorAre": "It has edits in the editor that are not saved.",
  "trouble.known.meantimeSoNothingWas":
    '"{label}" {how} in the meantime, so nothing was written. Look at it again.',
  "trouble.known.runWasStopped": "The run was stopped.",
  "trouble.known.stepDoesntWaitFor": "Step {step} doesn't wait for a decision, so nothing was done.",
  "trouble.known.modelOrProvidersContent":
    "The model or its provider's content filter withheld the last {withheld} replies. Change the task or what it reads, or choose another model.",
  "trouble.known.allowCommandsTaskNeeds":
    "Allow the commands that the task needs, or tell the agent what to do instead.",
  "trouble.known.chooseAnotherModelOr": "Choose another model, or tell the agent what to do next.",
  "trouble.known.calledTimesWithSame": "It called {value} {times} times with the same arguments and outcome.",
  "trouble.known.keepsAlternatingBetweenAnd":
    "It keeps alternating between {value} and {value2}, with the same outcomes.",
  "trouble.known.choseDoNothingTimes": "It chose to do nothing {times} times in a row.",
  "trouble.known.repeatedReplyTemplateInstead":
    "It repeated the reply template instead of filling it in, so no command ran.",
  "trouble.known.noDeploymentSetFor":
    "No deployment is set for Azure OpenAI. Put its name into autogpt.azure.smartDeployment.",
  "trouble.known.noApiVersionSet":
    "No API version is set for Azure OpenAI. Put one like 2024-10-21 into autogpt.azure.apiVersion.",
  "trouble.known.vsCodeNoLonger": "VS Code no longer has the model {name}. Choose another one.",
  "trouble.known.notWebAddressSet": '"{address}" is not a web address. Set {address2} to one like {example}.',
  "trouble.known.noApiKeySet":
    "No API key is set for {server}. To set one, {key}. If the server needs none, enter any word.",
  "trouble.known.apiKeyForContains":
    "The API key for {server} contains characters that no key has, so something else was pasted with it. To change it, {key}.",
  "trouble.known.proxyForRequiresName":
    "The proxy for {host} requires a name and password. Put them into {proxy}.",
  "trouble.known.sentNothingForSeconds": "{server} sent nothing for {timeoutSeconds} seconds.",
  "trouble.known.tryAgainChooseFaster":
    "Try again, choose a faster model, or give it more time in autogpt.model.timeoutSeconds.",
  "trouble.known.endedReplyWithoutAny": "{server} ended its reply without any content.",
  "trouble.known.connectionWasCutAfter": "The connection to {name} was cut after {seconds} seconds.",
  "trouble.known.ifHappensAgainAfter":
    "If that happens again after the same time, the server or a proxy before it limits how long a reply may take. Raise that limit, or choose a faster model with {model}.",
  "trouble.known.waitMomentThenTry": "Wait a moment, then try again.",
  "trouble.known.redirectsAndApiKey":
    "{name} redirects to {message}, and an API key is never sent there. If that's the right place, put its address into {address}.",
  "trouble.known.cantReachStartServer": "Can't reach {name}. Start the server there, or correct {address}.",
  "trouble.known.noHostCheckThis":
    'There is no host "{host}". Check that this machine is online, and the spelling in {address}.',
  "trouble.known.certificateIsntTrustedOn":
    "The certificate of {host} isn't trusted on this machine ({code}). If a company's proxy signs it, {certificate}; otherwise correct {address}.",
  "trouble.known.doesntSpeakHttpsAt":
    "{host} doesn't speak HTTPS at this address. If it's your own server, write http:// instead in {address}.",
  "trouble.known.programAtIsntWeb": "The program at {name} isn't a web server. Correct {address}.",
  "trouble.known.checkNetworkThenTry": "Check the network, then try again.",
  "trouble.known.waitingForFirstWord":
    "Waiting for the first word from {server}, for {seconds} seconds so far.",
  "trouble.known.waitingForAnswersOne": "Waiting for {server}, which answers one request at a time.",
  "trouble.known.cutOffReplyAnswer": "{server} cut off a reply to answer another request.",
  "trouble.known.outOfCredit":
    "Your account at {host} is out of credit. Top it up or raise its limit at the provider, or choose another model with {model}.",
  "trouble.known.promptTooLong":
    "The prompt does not fit into {name}. Choose a model with a larger context window, or set autogpt.model.contextWindow to its real size.",
  "trouble.known.filterWithheld":
    "The provider's content filter withheld the prompt or the reply. Change the task or what it reads, or choose another model with {model}.",
  "trouble.known.formatUnsupported":
    '{name} doesn\'t support the requested reply format. Set autogpt.model.replyFormat to "text", or choose another model with {model}.',
  "trouble.known.modelMissing": '{server} has no model "{name}". Choose one that it has with {model}.',
  "trouble.known.modelForbidden":
    "{server} does not let this API key use {name}. Ask its owner for access, or choose another model with {model}.",
  "trouble.known.tookTooLong": "{server} took too long ({status}).",
  "trouble.known.serverError": "{server} returned an error ({status}).",
  "trouble.known.requestRejected":
    "{server} did not accept the request ({status}). Try again, or choose another model with {model}.",
  "trouble.known.requestRejectedPlain":
    "{server} did not accept the request. Try again, or choose another model with {model}.",
  "trouble.known.needsKey": "{server} needs an API key, and none is set. To set one, {key}.",
  "trouble.known.keyRejected":
    "{server} rejected the API key. Check that it's complete, valid and for this server; to change it, {key}.",
  "trouble.known.webPage": "{server} is a web page, not a chat API. Correct {address}.",
  "trouble.known.noChatApi": "{server} has no chat API ({status}). Correct {address}.",
  "trouble.known.usualEnding": "Such addresses usually end in /v1: try {address}.",
  "trouble.known.notReply": "{server} sent something that isn't part of a reply.",
  "trouble.known.connectionLost": "The connection to {server} was lost ({code}).",
  "trouble.known.connectionLostPlain": "The connection to {server} was lost.",
  "trouble.known.tryAgain": "Try again.",
  "trouble.known.runSetKey": 'run "AutoGPT: Set API Key…"',
  "trouble.known.proxySetting": "VS Code's http.proxy setting",
  "trouble.known.installCertificate": "have its root certificate installed on this machine",
  "trouble.known.goesInCircles": "The agent is going in circles. {why}",
  "trouble.known.noRunOpen": "No run is open. Start one, or open one from the list of runs.",
  "trouble.known.noOutcome": "Step {step} has no outcome yet.",
  "trouble.known.pictureGone": "The picture no longer exists, or is too large to show here.",
  "trouble.known.notInWorkspace": "{file} isn't in the workspace, so it wasn't opened.",
  "trouble.known.modelStopped": "{model} stopped responding.",
  "trouble.known.tryAgainOr": "Try again, {advice}, or give it more time in autogpt.model.timeoutSeconds.",
  "trouble.known.notPermitted":
    "VS Code was not allowed to use {model} for AutoGPT. Continue and allow it when VS Code asks, or {advice}.",
  "trouble.known.modelGone":
    "VS Code no longer has the model {model}. Sign in to its provider again, or {advice}.",
  "trouble.known.modelBlocked":
    "{model} is blocked right now; its quota may be used up. Continue later, or {advice}.",
  "trouble.known.windowTooSmall":
    "The prompt doesn't fit into the context window of {model}. Use a model with a larger context window: {advice}.",
  "trouble.known.noTools":
    '{model} doesn\'t support tools. Set autogpt.model.replyFormat to "text", or {advice}.',
  "trouble.known.filterOfModel":
    "The content filter of {model} withheld the prompt or the reply. Change the task, or what it reads, and continue; or {advice}.",
  "trouble.known.cantAnswerNow": "{model} can't answer right now.",
  "trouble.known.waitThenContinue": "Wait a little, then continue.",
  "trouble.known.didntAnswer": "{model} didn't answer. Continue to try again, or {advice}.",
  "trouble.known.otherModel": 'choose another model with "AutoGPT: Select Model…"',
  "trouble.known.editedInEditor": "was edited in the editor",
  "trouble.known.savedInEditor": "was saved or closed in the editor",
  "trouble.known.lineDamaged": "is damaged",
  "trouble.known.lineUnconnected": "doesn't follow from the previous ones",
  "trouble.known.seconds": "{number} seconds",
  "trouble.known.minutes": "{number} minutes",
} as const;
