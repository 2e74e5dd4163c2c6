/** Texts about what went wrong, and what to do next. */
export const troubleTexts = {
  "trouble.oldNode":
    "AutoGPT needs Node.js 22 or later, but {app} runs extensions with Node.js {version}. Update {app}, or start it with a newer Node.js.",
  "trouble.pictureRefused":
    "{server} refused a picture, so {name} gets only its name. Give it a smaller or another one, or choose another model with {model}.",
  "trouble.reasoningRefused":
    "{server} refused earlier reasoning of {name}, so the model goes on without it. If its replies get worse, choose another model with {model}.",
  "trouble.picturesNotTaken":
    "{server} didn't take the pictures for {name}, so the model gets only their names. Choose another model with {model}.",
  "trouble.cacheGivenUp":
    "{server} takes no cache marks for {name}, so prompts may cost their full price. Choose another model with {model}.",
  "trouble.notCachedForHour":
    '{server} keeps prompts of {name} for five minutes only, so those after a longer wait cost their full price. To keep it so, set autogpt.model.cacheMinutes to "5".',
  "trouble.apiChanged":
    "{server} doesn't serve {name} over {api}, so requests go over {other} from now on. To choose one, change {setting}.",
  "trouble.apiNotServed":
    '{server} doesn\'t serve {name} over {api}, but over {other}. Set {setting} to "{value}" or "auto".',
  "trouble.apiOfProvider": "the api of {provider} in {setting}",
  "trouble.effortGivenUp":
    "{server} takes no effort for {name}, so the model decides how long it reasons. Change {setting}, or choose another model with {model}.",
  "trouble.effortChanged":
    '{name} doesn\'t know the effort "{effort}", so "{used}" is used. Change {setting}, or choose another model with {model}.',
  "trouble.schemaGivenUp":
    "{server} takes no JSON schema for {name}, so the model replies with JSON in a form that nothing enforces. Change autogpt.model.replyFormat, or choose another model with {model}.",
  "trouble.formatGivenUp": "The model replies with {format} from now on.",
  "trouble.formatUnread":
    "Two replies in a row couldn't be read, so the model replies with {format} from now on. Choose another model, or change autogpt.model.replyFormat.",
  "trouble.formatEndless":
    "The model's reply repeated itself without end, so it replies with {format} from now on. Choose another model, or change autogpt.model.replyFormat.",
  "trouble.formatTools": "tool calls",
  "trouble.formatJsonSchema": "JSON that follows a schema",
  "trouble.formatText": "JSON in plain text",
  "trouble.formatFiles": "whole files",
  "trouble.filesGivenUp":
    "Replies in whole files didn't get the task done, so the model replies with {format} from now on.",
  "trouble.continuesWithout": "{text} The run continues without it.",
  "trouble.continueRunOrFork": "{idle} Continue that run, or fork this one.",
  "trouble.changeCourse": "{did} Tell it what to do differently, or choose another model.",
  "trouble.tryingAgain": "{what} Trying again in {time} (attempt {attempt} of {attempts}).",
  "trouble.asksToWait": "{what} It can be asked again in {time}, at {until}.",
  "trouble.continueThen": "Continue the run then, or choose another model.",
  "trouble.triedTimes": "{what} It was tried {attempts} times.",
  "trouble.modelReplaced": "{model} takes over for now. {why}",
  "trouble.modelBack": "{model} is asked again, as the usual model.",
  "trouble.modelRefused": "{model} refused to reply.",
  "trouble.modelBecause": "{model}: {why}",
  "trouble.noModelAnswers": "None of the {count} models can answer now.",
  "trouble.inboxIsLink":
    "The inbox in .autogpt/memory is a link to another place, so nothing is written there. Remove the link.",
  "trouble.memoryFolderIsLink": "The memory folder is a link to another place, so it isn't used. Remove the link.",
  "trouble.memoryTakenOver": "Another window has taken over the memory; this one reads it and hands over new memories.",
  "trouble.memoryOvertaken":
    "The memory was just closed, cleared or taken over by another window, so this wasn't done. Try again.",
  "trouble.memoryInUse": "Another window is writing this memory. Do this there, or close that window first.",
  "trouble.memoryDamaged": "A part of the memory is damaged ({segment}); the rest is in use.",
  "trouble.memoryPartNotRead":
    "A part of the memory can't be read now ({segment}: {reason}). It's left as it is; reload the window to try again.",
  "trouble.memoryIndexUnknown":
    "A newer version of Vectra wrote a part of the memory ({segment}). It's left as it is and isn't used.",
  "trouble.memoryForeignItems": {
    one: "{count} entry of another program is in the memory ({segment}). It's kept, but not used.",
    other: "{count} entries of another program are in the memory ({segment}). They're kept, but not used.",
  },
  "trouble.memoryDiskFull": "The disk is full, so this wasn't remembered; earlier memories are safe. Free some space.",
  "trouble.memoryNotWritable":
    "The memory folder can't be written, so this wasn't remembered. Check the permissions of .autogpt/memory.",
  "trouble.memoryReadOnly":
    "The memory folder can't be written, so nothing new is remembered. Check the permissions of .autogpt/memory.",
  "trouble.memoryUnusable":
    "The memory folder couldn't be used ({reason}). Earlier memories are safe; reload the window to try again.",
  "trouble.memoryFromNewerVersion":
    "The memory in .autogpt/memory was written by a newer version of AutoGPT, so it isn't used. Update the extension. To start over, use AutoGPT: Clear Memory, which keeps that folder under another name.",
  "trouble.targetIsLink": "{target} is a link to another place, so nothing is written there. Remove the link.",
  "trouble.memoryFull": "There is no space for more memories. Clear the ones you no longer need.",
  "trouble.sharedUrl":
    "The address of the team's memory can't be used. It should look like {example}. Correct autogpt.memory.url.",
  "trouble.sharedUrlSecret":
    "The address of the team's memory has a password in it. Take it out of autogpt.memory.url, and enter it when it's asked for.",
  "trouble.sharedNotEncrypted":
    "The address of the team's memory turns encryption off, which only works on this machine, not with {host}. Remove sslmode from autogpt.memory.url.",
  "trouble.sharedCertificate":
    "The connection to the team's memory on {host} isn't secure ({reason}), so it isn't used. Give the server a valid certificate, or add sslrootcert to autogpt.memory.url.",
  "trouble.sharedUnreachable":
    "The team's memory on {host} can't be used right now ({reason}). Your own memory works, and sharing resumes once the server answers. If it never does, check autogpt.memory.url.",
  "trouble.sharedRefused":
    "{host} refused the user name or the password or API key of the team's memory ({reason}). Check autogpt.memory.url, and enter the password or key again; on the command line, it's in MEMORY_SECRET.",
  "trouble.sharedMissing":
    "{host} doesn't have the database or index of the team's memory ({reason}). Check autogpt.memory.url.",
  "trouble.sharedRights":
    "The user or key of the team's memory lacks rights on {host} ({reason}). Ask its administrator to grant those in https://github.com/autogpt-vscode/autogpt-vscode/blob/main/docs/memory.md, or use another user or key.",
  "trouble.sharedReadOnly":
    "The team's memory on {host} can only be read, so your notes wait on this machine. Check whether autogpt.memory.url names a replica.",
  "trouble.sharedFull":
    "The team's memory on {host} is full ({reason}). Nothing is lost: your notes wait on this machine until its administrator makes room.",
  "trouble.sharedSkipped": {
    one: "One entry of the team's memory was skipped, because it's damaged, forged or too large.",
    other: "{count} entries of the team's memory were skipped, because they are damaged, forged or too large.",
  },
  "trouble.sharedOldServer":
    "The team's memory needs PostgreSQL 13 or later, but the server is version {version}. Update it, or choose another server.",
  "trouble.sharedOldRedis":
    "The team's memory needs Redis 5 or later, or Valkey, but the server is version {version}. Update it, or choose another server.",
  "trouble.sharedNotEncryptedBy":
    "Off this machine, the team's memory needs an encrypted connection to {host}. Let autogpt.memory.url begin with {prefix}.",
  "trouble.sharedNoStore":
    "No extension brings the store {name} for the team's memory. Install and enable the extension, or change autogpt.memory.url.",
  "trouble.sharedNoMilvus":
    "Milvus isn't built in any more, so the memory isn't shared. Use Share Memory… to choose PostgreSQL, Redis or Pinecone, or install an extension that brings Milvus, and set autogpt.memory.backend to plugin.",
  "trouble.sharedStoreFails":
    "The store {name} of the team's memory can't be used right now ({reason}). Your own memory works, and sharing resumes once the store answers.",
  "trouble.sharedNewer": "The team's memory was set up by a newer version of AutoGPT. Update the extension to use it.",
  "trouble.nothingToRemember": "There is nothing to remember: the text is empty. Write some text.",
  "trouble.notesNotRead": {
    one: "A file in .autogpt/notes isn't used: {files}. A note is UTF-8 text of at most 64 KB, and not a link.",
    other:
      "{count} files in .autogpt/notes aren't used, such as {files}. A note is UTF-8 text of at most 64 KB, and not a link.",
  },
  "trouble.notesCut":
    "Only the newest {count} notes in .autogpt/notes (at most 8 MB) are used. Remove some that are out of date.",
  "trouble.notesUnreadable": "The notes in .autogpt/notes can't be read ({reason}). Check their permissions.",
  "trouble.noteNotSaved":
    "The note wasn't saved in .autogpt/notes ({reason}). Check that the folder can be written and isn't a link.",
  "trouble.noRepositoryNotes":
    "This folder has no place for notes that are shared: it's read-only, virtual or empty. Open a folder that you can write.",
  "trouble.memoryNotSummarized": "The memories couldn't be summarized.",
  "trouble.memoryTimeout": "The memory didn't answer in time, so nothing was recalled for this step.",
  "trouble.embeddingCountWrong":
    "The embedding server didn't send one vector for each text. Check autogpt.model.embedding; until then, memories are found only by their words.",
  "trouble.embeddingSizeChanged":
    "The embedding model now returns vectors of {now} numbers instead of {before}, and they can't be mixed. Choose the previous model or another one (autogpt.model.embedding); until then, memories are found only by their words.",
  "trouble.encoderNotInstalled":
    "The encoder couldn't be installed ({said}). Check the network and the proxy, then try again.",
  "trouble.encoderDiskFull":
    "The disk is full, so the encoder wasn't installed. It needs 80 MB. Free some space and try again.",
  "trouble.wrongChecksum":
    "The download of {one} has the wrong checksum, so it was deleted. Try again later, or from another network.",
  "trouble.tableUnusable":
    "The table that finds memories by meaning can't be read ({why}). Reinstall AutoGPT; until then, memories are found only by their words.",
  "trouble.encoderFailed":
    "The encoder doesn't work ({why}). Reload the window to try again; until then, memories are found only by their words.",
  "trouble.embeddingTextRejected":
    "The embedding model {model} doesn't accept this text, so it's found only by its words.",
  "trouble.embeddingUnusable":
    "The embedding model {model} can't be used. Check the key and autogpt.model.embedding, then reload the window; until then, memories are found only by their words.",
  "trouble.embeddingSilent":
    "The embedding model {model} doesn't answer at the moment. It's retried automatically; until then, new memories are found only by their words.",
  "trouble.embeddingUnreadable":
    "The server's answer for the embedding model {model} isn't one list of numbers per text. Check autogpt.model.embedding; until then, memories are found only by their words.",
  "trouble.keptContentGone": "The kept content of the file is gone, so the file can't be restored.",
  "trouble.changedByProgram": "A program changed it, and its earlier content wasn't kept.",
  "trouble.wasLink": "It was a link.",
  "trouble.changedAfterProgram": "It was changed again right after the program.",
  "trouble.savedDuringProgram": "It was saved in the editor while the program ran.",
  "trouble.changedByLaterStep": "Step {step} changed it too, later. Undo that step first.",
  "trouble.changedBetween": "Someone else changed it between two changes of the agent.",
  "trouble.changedMeanwhile": "It was changed in the meantime.",
  "trouble.interruptedDuringChange":
    "The run was interrupted while it changed this file, so the agent's change is unknown.",
  "trouble.changedAfterward": "It was changed afterward.",
  "trouble.stepNotEnded": "Step {step} hasn't ended in that run. Choose one that has.",
  "trouble.machineIdNotStored":
    "The id of this machine can't be stored in {path}. Make that file writable, or remove it if it's damaged.",
  "trouble.notAFolder":
    "{path} is a {value}, not a folder, so nothing in it is read or written. Put a folder in its place.",
  "trouble.runNotFound": 'There\'s no run "{id}" here. Look for its name in the list of runs.',
  "trouble.runFolderRenamed":
    "The run's folder was renamed from {id}. You can read it here; rename it back to resume it.",
  "trouble.logEmpty": "The log of this run is empty or damaged from its first line on, so there's nothing to show.",
  "trouble.logDamaged": "The log of this run is damaged. The readable part is shown; fork it to continue.",
  "trouble.runFromNewerVersion":
    "A newer version of AutoGPT wrote this run. You can read it here; update the extension to resume it.",
  "trouble.runFromElsewhere":
    "Another machine or user wrote this run. You can read it here, or fork it to continue from it.",
  "trouble.runOfSubAgent":
    "This agent worked for another run and continues only with it. You can read it here, or fork it to continue from it.",
  "trouble.logDiskFull":
    "The disk is full, so the run's log {path} can't be written. Free some space to continue the run: nothing that was recorded is lost.",
  "trouble.logOnReadOnlyDisk":
    "The run's log {path} is on a read-only disk. Open the folder from another location, then start again.",
  "trouble.logIsLink":
    "The run's log {path} is a symbolic link, which isn't followed. Remove the link, then start again.",
  "trouble.logTooManyFiles":
    "Too many files are open, so the run's log {path} can't be written. Close some programs to continue the run.",
  "trouble.logNotWritable":
    "The run's log {path} can't be written ({error}). Check that its folder exists and can be written to continue the run.",
  "trouble.logWithoutStart":
    "The log doesn't begin with the start of a run, so the run can be neither shown nor resumed.",
  "trouble.logLineDamaged":
    "Line {value} of {lines} of the log {what}. The rest of the run is shown; fork it to continue.",
  "trouble.continuedElsewhere":
    "Another window or program has continued this run, so it ends here. Open the run again to see its current state.",
  "trouble.runInUse.window": "This run is in progress in another VS Code window (process {pid}).",
  "trouble.runInUse.commandLine": "This run is in progress on the command line (process {pid}).",
  "trouble.runInUse.window.elsewhere": "This run is in progress in a VS Code window on {machine} (process {pid}).",
  "trouble.runInUse.commandLine.elsewhere": "This run is in progress on the command line of {machine} (process {pid}).",
  "trouble.handedOver": "Another window or program took over this run.",
  "trouble.runNotHandedOver":
    "The window or program that works on this run (process {pid}) doesn't answer. Close it, then continue the run here.",
  "trouble.debugFilesNotWritable":
    "Debug files can't be written: {error}. Turn off autogpt.log.debugFiles, or free the folder.",
  "trouble.tracesNotWritten":
    "Traces can't be written to {target}: {error} The run continues without them. Check autogpt.telemetry.otel.",
  "trouble.badTraceTarget":
    "autogpt.telemetry.otel can't be {target}, so no traces are written. Set it to off, to the whole path of a file, or to a collector's address without a password: https, or http on this machine.",
  "trouble.importTooLarge": "That file is too large for a run. Choose a run exported as JSON.",
  "trouble.importNoRun": "That file isn't an exported run. Choose one that was exported as JSON, or a problem report.",
  "trouble.importFromNewerVersion": "A newer version of AutoGPT exported this run. Update the extension to import it.",
  "trouble.importEventDamaged": "Event {value} of {length} in that file is damaged, so nothing was imported.",
  "trouble.importWithoutStart": "That file doesn't begin with the start of a run.",
  "trouble.runUnreadable": "The run can't be read.",
  "trouble.restrictedMode": "This folder is in Restricted Mode: runs are read-only here.",
  "trouble.openReadOnly": "This run is open read-only.",
  "trouble.forkNeedsInstruction":
    "The task was complete after that step. Tell the fork what to do, or fork from an earlier step.",
  "trouble.forkCantCopyVirtual":
    "The files of a virtual workspace can't be copied to a new folder. Fork with the current files, or with those of the step.",
  "trouble.forkFromOtherMachine": "A run from another machine can only be forked with the current files.",
  "trouble.notebookUnsaved": "The notebook has edits in the editor that are not saved.",
  "trouble.redraftUnreadable":
    "The model's draft couldn't be read, so your task is the only goal. Change it, or start.",
  "trouble.draftUnreadable": "The model's draft could not be read. Fill in the profile, or start with these defaults.",
  "trouble.noGoalsDrafted": "No goals could be drafted, so your task is the only one.",
  "trouble.noProfileDrafted": "No profile could be drafted.",
  "trouble.endedBeforeDraft": "The run ended before its profile was drafted.",
  "trouble.compactionRequested": "The history will be compacted before the next step.",
  "trouble.compacted":
    "The history was compacted: the prompt went from {before} to {after} tokens. Nothing was removed from the run's log.",
  "trouble.nothingToCompact": "There is nothing to compact: the history is still short.",
  "trouble.stoppedBeforeCompaction": "The run stopped before its next step, so its history wasn't compacted.",
  "trouble.noPlanToApprove": "This run has no plan that needs your approval.",
  "trouble.folderNotOnDisk": "{folder} isn't a folder on this machine's disk. Open it in VS Code to work in it.",
  "trouble.virtualFilesOnly":
    "This workspace is virtual ({folder}), so the agent works with its files only: without shell, Python and git.",
  "trouble.nothingToRedo": "Nothing in this run was undone, so there is nothing to redo.",
  "trouble.commandStillRunning":
    "A command of this run is still running. Wait until it ends, or stop the agent, then undo.",
  "trouble.unsavedInEditor": "It has edits in the editor that are not saved.",
  "trouble.nothingWritten": '"{label}" {how} in the meantime, so nothing was written. Look at it again.',
  "trouble.runStopped": "The run was stopped.",
  "trouble.stepNotWaiting": "Step {step} doesn't wait for a decision, so nothing was done.",
  "trouble.repliesWithheld":
    "The model or its provider's content filter withheld the last {withheld} replies. Change the task or what it reads, or choose another model.",
  "trouble.allowWhatIsNeeded": "Allow the commands that the task needs, or tell the agent what to do instead.",
  "trouble.otherModelOrAdvice": "Choose another model, or tell the agent what to do next.",
  "trouble.sameCallRepeated": "It called {value} {times} times with the same arguments and outcome.",
  "trouble.alternatingCalls": "It keeps alternating between {value} and {other}, with the same outcomes.",
  "trouble.didNothingRepeatedly": "It chose to do nothing {times} times in a row.",
  "trouble.noProgress": "Its last {times} steps read, changed and found out nothing new.",
  "trouble.repeatedTemplate": "It repeated the reply template instead of filling it in, so no command ran.",
  "trouble.azureNoDeployment":
    "No deployment is set for Azure OpenAI. Put its name into autogpt.azure.smartDeployment.",
  "trouble.azureNoApiVersion":
    "No API version is set for Azure OpenAI. Put one like 2024-10-21 into autogpt.azure.apiVersion.",
  "trouble.editorModelGone": "{app} no longer has the model {name}. Choose another one.",
  "trouble.notAWebAddress": '"{address}" is not a web address. Set {address2} to one like {example}.',
  "trouble.noKeySet": "No API key is set for {server}. To set one, {key}. If the server needs none, enter any word.",
  "trouble.keyHasOddCharacters":
    "The API key for {server} contains characters that no key has, so something else was pasted with it. To change it, {key}.",
  "trouble.proxyNeedsLogin": "The proxy for {host} requires a name and password. Add them to {proxy}.",
  "trouble.serverSilent": "{server} sent nothing for {timeoutSeconds} seconds.",
  "trouble.serverWordless": {
    one: "{server} stayed connected, but sent no part of a reply for {count} minute.",
    other: "{server} stayed connected, but sent no part of a reply for {count} minutes.",
  },
  "trouble.tryFasterModel": "Try again, choose a faster model, or give it more time in autogpt.model.timeoutSeconds.",
  "trouble.emptyReply": "{server} ended its reply without any content.",
  "trouble.connectionCut": "The connection to {name} was cut after {seconds} seconds.",
  "trouble.ifCutAgain":
    "If that happens again after the same time, the server or a proxy before it limits how long a reply may take. Raise that limit, or choose a faster model with {model}.",
  "trouble.waitThenTry": "Wait a moment, then try again.",
  "trouble.redirectRefused":
    "{name} redirects to {message}, and an API key is never sent there. If that's the right place, put its address into {address}.",
  "trouble.unreachableRemotely":
    "Can't reach {name}. This address belongs to the remote machine ({remote}), not to your computer. Start the server there, or set {address} to an address that the remote machine can reach.",
  "trouble.unreachable": "Can't reach {name}. Start the server there, or correct {address}.",
  "trouble.noSuchHost": 'There is no host "{host}". Check that this machine is online, and the spelling in {address}.',
  "trouble.untrustedCertificate":
    "The certificate of {host} isn't trusted on this machine ({code}). If a company's proxy signs it, {certificate}; otherwise correct {address}.",
  "trouble.noHttps":
    "{host} doesn't speak HTTPS at this address. If it's your own server, write http:// instead in {address}.",
  "trouble.notAWebServer": "The program at {name} isn't a web server. Correct {address}.",
  "trouble.checkNetwork": "Check the network, then try again.",
  "trouble.waitingForReply": "Waiting for the first word from {server}, for {seconds} seconds so far.",
  "trouble.waitingForTurn": "The next request to {server} waits for {time}, to keep your limit per minute.",
  "trouble.waitingInLine": "Waiting for {server}, which answers one request at a time.",
  "trouble.replyCutForOther": "{server} cut off a reply to answer another request.",
  "trouble.outOfCredit":
    "Your account at {host} is out of credit. Top it up or raise its limit at the provider, or choose another model with {model}.",
  "trouble.promptTooLong":
    "The prompt does not fit into {name}. Choose a model with a larger context window, or set autogpt.model.contextWindow to its real size.",
  "trouble.filterWithheld":
    "The provider's content filter withheld the prompt or the reply. Change the task or what it reads, or choose another model with {model}.",
  "trouble.formatUnsupported":
    '{name} doesn\'t support the requested reply format. Set autogpt.model.replyFormat to "text", or choose another model with {model}.',
  "trouble.modelMissing": '{server} has no model "{name}". Choose one that it has with {model}.',
  "trouble.modelForbidden":
    "{server} does not let this API key use {name}. Ask its owner for access, or choose another model with {model}.",
  "trouble.tookTooLong": "{server} took too long ({status}).",
  "trouble.serverError": "{server} returned an error ({status}).",
  "trouble.requestRejected":
    "{server} did not accept the request ({status}). Try again, or choose another model with {model}.",
  "trouble.requestRejectedPlain":
    "{server} did not accept the request. Try again, or choose another model with {model}.",
  "trouble.needsKey": "{server} needs an API key, and none is set. To set one, {key}.",
  "trouble.keyRejected":
    "{server} rejected the API key. Check that it's complete, valid and for this server; to change it, {key}.",
  "trouble.webPage": "{server} is a web page, not a chat API. Correct {address}.",
  "trouble.noChatApi": "{server} has no chat API ({status}). Correct {address}.",
  "trouble.usualEnding": "Such addresses usually end in /v1: try {address}.",
  "trouble.notReply": "{server} sent something that isn't part of a reply.",
  "trouble.connectionLost": "The connection to {server} was lost ({code}).",
  "trouble.connectionLostPlain": "The connection to {server} was lost.",
  "trouble.tryAgain": "Try again.",
  "trouble.runSetKey": 'run "AutoGPT: Set API Key…"',
  "trouble.proxySetting": "{app}'s http.proxy setting",
  "trouble.installCertificate": "have its root certificate installed on this machine",
  "trouble.goesInCircles": "The agent is going in circles. {why}",
  "trouble.noRunOpen": "No run is open. Start one, or open one from the list of runs.",
  "trouble.noOutcome": "Step {step} has no outcome yet.",
  "trouble.pictureGone": "The picture no longer exists, or is too large to show here.",
  "trouble.notInWorkspace": "{file} isn't in the workspace, so it wasn't opened.",
  "trouble.modelStopped": "{model} stopped responding.",
  "trouble.tryAgainOr": "Try again, {advice}, or give it more time in autogpt.model.timeoutSeconds.",
  "trouble.notPermitted":
    "{app} was not allowed to use {model} for AutoGPT. Continue and allow it when {app} asks, or {advice}.",
  "trouble.modelGone": "{app} no longer has the model {model}. Sign in to its provider again, or {advice}.",
  "trouble.modelBlocked": "{model} is blocked right now; its quota may be used up. Continue later, or {advice}.",
  "trouble.windowTooSmall":
    "The prompt doesn't fit into the context window of {model}. Use a model with a larger context window: {advice}.",
  "trouble.noTools": '{model} doesn\'t support tools. Set autogpt.model.replyFormat to "text", or {advice}.',
  "trouble.filterOfModel":
    "The content filter of {model} withheld the prompt or the reply. Change the task, or what it reads, and continue; or {advice}.",
  "trouble.cantAnswerNow": "{model} can't answer right now.",
  "trouble.waitThenContinue": "Wait a moment, then continue.",
  "trouble.didntAnswer": "{model} didn't answer. Continue to try again, or {advice}.",
  "trouble.otherModel": 'choose another model with "AutoGPT: Select Model…"',
  "trouble.editedInEditor": "was edited in the editor",
  "trouble.savedInEditor": "was saved or closed in the editor",
  "trouble.lineDamaged": "is damaged",
  "trouble.lineUnconnected": "doesn't follow from the previous ones",
  "trouble.said": 'It said: "{words}".',
  "trouble.addressHasPassword":
    "The address in {address} contains a user name or password. Remove it. To set a key, {key}.",
  "trouble.limitsRequests": "{server} is limiting requests right now (429).",
  "trouble.cutOffReply": "{server} cut off the reply.",
  "trouble.anotherAddress": "another address",
  "trouble.seconds": { one: "{count} second", other: "{count} seconds" },
  "trouble.minutes": { one: "{count} minute", other: "{count} minutes" },
  "trouble.hours": { one: "{count} hour", other: "{count} hours" },
  "trouble.hoursAndMinutes": "{hours} {minutes}",
  "trouble.noImage": "{server} returned no image. Try again.",
  "trouble.noTextReturned": "{server} returned no text. Try again.",
  "trouble.speechFailed": "{model} at {host} answered {status}.",
  "trouble.webUiWithoutApi":
    "The web UI at {address} has no API. The user has to start it with --api, or set another autogpt.image.baseUrl.",
  "trouble.webUiLogin": "The web UI at {address} asks for a login, which is user:password. The user can set it: {key}.",
  "trouble.webUiFailed":
    "The web UI at {address} answered {status}. Try another prompt or size, or continue without an image.",
  "trouble.tokenRejected": "{name} rejected the access token ({status}).",
  "trouble.setAnotherToken": "To set another one, {key}.",
  "trouble.serviceUnusable": "{name} can't be used ({status}).",
  "trouble.chooseModelWith": "The user can choose another model with {model}.",
  "trouble.serviceAnswered": "{name} answered {status}.",
  "trouble.tryLater": "Try again later, or continue without it.",
  "trouble.editorOnly": "The models of VS Code exist only in the editor. Set model.provider to openai or azure here.",
  "trouble.costsNotWritten":
    "The file of costs can't be written ({error}), so the budgets over all folders can't be kept. Check that the disk has space and can be written, or remove autogpt.run.budgetPerDay and autogpt.run.budgetPerMonth.",
  "trouble.waitingForCosts":
    "Calls of other runs may take the rest of the budget over all folders. Waiting for their end…",
  "trouble.dayBudgetScarce":
    "{spent} of today's {budget} for all runs are spent. At the limit (autogpt.run.budgetPerDay), runs end and can be continued tomorrow.",
  "trouble.monthBudgetScarce":
    "{spent} of this month's {budget} for all runs are spent. At the limit (autogpt.run.budgetPerMonth), runs end and can be continued next month.",
  "trouble.noRoom": "The budget of the run ({resource}) leaves no room for this call.",
  "trouble.resource.money": "money",
  "trouble.resource.tokens": "tokens",
  "trouble.resource.steps": "steps",
  "trouble.resource.replies": "replies",
  "trouble.resource.time": "time",
  "trouble.requestTooLarge":
    "The request has too many bytes for {server} or a proxy in front of it (413). Raise the size of requests that it accepts, or have the agent work with fewer and smaller files.",
  "trouble.promptTooLongShortened":
    "The prompt does not fit into {name} even after it was shortened. Choose a model with a larger context window, or set autogpt.model.contextWindow to its real size.",
  "trouble.unreadableReplies": { one: "{count} unreadable reply", other: "{count} unreadable replies" },
  "trouble.invalidCalls": { one: "{count} invalid call", other: "{count} invalid calls" },
  "trouble.refusedCalls": { one: "{count} refused call", other: "{count} refused calls" },
  "trouble.noneRan": {
    one: "The last step ran no command: {parts}. {advice}",
    other: "None of the last {count} steps ran a command: {parts}. {advice}",
  },
  "trouble.logNotPermitted":
    "You have no permission to write the run's log {path}. Give yourself write permission to continue the run.",
  "trouble.damagedFilesAt": "The damaged files are in {folder}.",
  "trouble.setKeyWith": "To set a key, {key}.",
  "trouble.correctAddress": "To correct the address, change {address}.",
  "trouble.chooseWith": "Choose a model with {model}.",
  "trouble.waitsForLog": "The run waits, and continues by itself once its log can be written. {why}",
  "trouble.link": "link",
  "trouble.file": "file",
  "trouble.isLinkOrDevice": "It's a link or a device.",
  "trouble.cantBeRead": "It can't be read.",
  "trouble.cantRestore": "Its earlier state can't be restored. {why}",
  "trouble.notAsLeft": "It isn't as the program left it. {why}",
  "trouble.leftAsIs": "Left as it is: {files}.",
  "trouble.fileBecause": "{file} ({why})",
  "trouble.turnedOff": "It is turned off in the settings (autogpt.commands.disabled).",
  "trouble.notInProfile": "The profile doesn't name it among its commands.",
  "trouble.unknownCommands": "The profile names commands that don't exist: {list}. Check the profile's commands.",
  "trouble.noSkills": "There are no skills in this workspace or in your home folder.",
  "trouble.sameName": "There is another command of this name.",
  "trouble.notForSmallModel": "Small local models are offered few commands, since long prompts slow and confuse them.",
  "trouble.noRoomInWindow": "The window of this model, {count} tokens, has no room for it.",
  "trouble.noWeb": "There is no access to the web here.",
  "trouble.picturesNeedKey": "Pictures need an API key for {address}. To fix that, {key}.",
  "trouble.recordingsNeedKey": "Recordings need an API key for {address}. To fix that, {key}.",
  "trouble.picturesOff": "Pictures are turned off (autogpt.image.provider).",
  "trouble.tweetsNeedKeys": "Posting on X needs four keys of an app. To fix that, {key}.",
  "trouble.tweetsBadKeys":
    "The keys for X must be four: API key, API key secret, access token, access token secret. To set them, {key}, with spaces between them.",
  "trouble.googleNeedsEngine": "Google search needs the ID of a search engine (autogpt.web.googleEngineId).",
  "trouble.googleNeedsKey": "Google search needs a key. To fix that, {key}.",
  "trouble.searchNeedsKey": "The search service needs a key for {host}. To fix that, {key}.",
  "trouble.browserOff": "The browser is turned off (autogpt.web.browser).",
  "trouble.noBrowser": "No Chrome, Edge or Chromium was found. Install one, or set its path in autogpt.web.browser.",
  "trouble.webOff": "The web is turned off (autogpt.web.enabled).",
  "trouble.downloadsOff": "Downloads are turned off (autogpt.downloads.enabled).",
  "trouble.noCodeIndex": "Only folders on this machine's disk are indexed. Other searches work here.",
  "trouble.virtualNoPrograms":
    "This workspace is virtual ({scheme}): its files aren't on this machine's disk, so programs and git can't work with them. Use the commands for files.",
  "trouble.noTerminal": 'The terminal "{label}" no longer exists.',
  "trouble.waitingForModel": {
    one: "Waiting for {model} ({count} second so far).",
    other: "Waiting for {model} ({count} seconds so far).",
  },
  "trouble.notSavedFile": "{file} couldn't be saved. Save it in its editor, then try again.",
  "trouble.fileSystemReadOnly": "The workspace's file system ({scheme}) is read-only, so nothing in it can be changed.",
  "trouble.serverAnswered": "{advice} The server answered: {said}",
  "trouble.outsideFolders": "It's outside the open folders.",
} as const;
