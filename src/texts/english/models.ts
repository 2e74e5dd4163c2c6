/** Texts about models, providers, keys and servers. */
export const modelsTexts = {
  // A provider's state, in a few words
  "models.connected": { one: "Connected, {count} model", other: "Connected, {count} models" },
  "models.unlisted": "No list of models",
  "models.noKey": "No API key",
  "models.brokenKey": "Key is malformed",
  "models.rejected": "Key rejected ({status})",
  "models.unreachable": "Can't reach {name}",
  "models.silent": { one: "No answer within {count} second", other: "No answer within {count} seconds" },
  "models.failed": "Server error ({status})",
  "models.moved": "Redirects to another address",
  "models.noApi": "No API at this address",
  "models.badAddress": "Not a web address",
  "models.incomplete": "Not set up",
  "models.noChatModels": "No models",

  // The same in sentences
  "models.connectedSentence": {
    one: "{name} is connected and offers {count} model.",
    other: "{name} is connected and offers {count} models.",
  },
  "models.notSetUpForProfile":
    "The profile names the model {name}, but {provider} isn't set up. Set it up on the Models page, or take the model out of the profile.",
  "models.emptySentence": "{name} is connected, but lists no models.",
  "models.unlistedSentence": "{name} doesn't list its models ({status}).",
  "models.noKeySentence": "{name} needs an API key, and none is set.",
  "models.brokenKeySentence":
    "The API key for {name} contains characters that no key has, so something else was pasted with it.",
  "models.rejectedSentence": "{name} rejected the API key ({status}).{said}",
  "models.unreachableSentence": "Can't reach {name}. {advice}",
  "models.silentSentence": {
    one: "{name} didn't answer within {count} second.",
    other: "{name} didn't answer within {count} seconds.",
  },
  "models.failedSentence": "{name} returned an error ({status}).{said}",
  "models.movedSentence":
    "{name} redirects to {address}, and an API key is never sent there. Use that address if it's the right one.",
  "models.movedAwaySentence": "{name} redirects to another address, and an API key is never sent there.",
  "models.noApiSentence":
    "{name} has no OpenAI-compatible API at this address. Such addresses usually end in /v1.",
  "models.badAddressSentence":
    "The address of the model server isn't a web address like https://api.openai.com/v1.",
  "models.incompleteSentence": "{name} isn't set up yet: {setting} is empty.",
  "models.noChatModelsSentence":
    "The editor has no language models. Sign in to GitHub Copilot or another provider.",
  "models.refusedAdvice": "Start the server, or use another one.",
  "models.unknownHostAdvice": "Check the network and the spelling of its address.",
  "models.certificateAdvice": "Its certificate isn't trusted on this machine.",
  "models.noHttpsAdvice": "It doesn't speak HTTPS. If it's your own server, use http:// instead.",
  "models.noHttpAdvice": "What answers there isn't a web server.",
  "models.proxyAdvice":
    "The proxy asks for a name and password. Add them to the editor's http.proxy setting.",
  "models.lostAdvice": "Check the network, then try again.",

  // Keys
  "models.keySaved": "API key saved.",
  "models.keySavedBut": "API key saved. {trouble}",
  "models.keyUnchecked": "API key saved. It wasn't checked.",
  "models.keyAccepted": "Key accepted.",
  "models.keyAcceptedEmpty": "Key accepted, but {name} lists no models.",
  "models.keyAcceptedModels": { one: "Key accepted, {count} model.", other: "Key accepted, {count} models." },
  "models.keyRejected": "Key rejected{status} by {name}.{said}",
  "models.keyRejectedKept": "Key rejected{status} by {name}.{said} The previous key is still in use.",

  "models.keyRemoved": "API key for {origin} removed.",
  "models.noKeyStored": "No API key is stored.",
  "models.setKey": "Set API Key",
  "models.clearKey": "Clear API Key",
  "models.whichService": "For which service?",
  "models.removeWhichKey": "Remove which key?",
  "models.checkingKey": "AutoGPT: checking the key with {origin}",
  "models.keyTitle": "API key: {name}",
  "models.keyPrompt":
    "The key for {origin}. It is kept in the editor's secret storage and only ever sent there.",
  "models.otherKeyPrompt":
    "{what} It is kept in the editor's secret storage and only ever sent to this service.",
  "models.keyMissing": "Paste the key, or press Escape to cancel.",
  "models.keyWithSpaces": "A key has no spaces or quotes. Paste the key alone.",
  "models.changeKeyButton": "Change key…",
  "models.saveAnywayButton": "Save anyway",

  // Choosing a model
  "models.selectModel": "Select Model",
  "models.looking": "AutoGPT: looking for models",
  "models.whichModel": "Which model?",
  "models.mainModel": "Main model",
  "models.fastModel": "Fast model (drafts, reviews)",
  "models.sameAsMain": "Same as main",
  "models.otherWays": "Other ways",
  "models.newRunsUse": "New runs use {model}.",
  "models.fastIs": "Drafts and reviews use {model}.",
  "models.nothingFound": 'No model was found. Set one up with "AutoGPT: Select Model…", then try again.',
  "models.noLongerThere":
    'That model is no longer available. Choose another one with "AutoGPT: Select Model…".',

  // Adding a provider
  "models.whereFrom": "Where should models come from?",
  "models.whereFromAfter": "{trouble} Where should models come from?",
  "models.addProviderButton": "Add provider…",
  "models.otherServer": "Other server…",
  "models.otherServerDetail": "Any OpenAI-compatible address",
  "models.azure": "Azure OpenAI…",
  "models.azureDetail": "With an endpoint, a deployment and a key",
  "models.editorModels": "GitHub Copilot and others",
  "models.demoDetail": "No key, no network",
  "models.useServer": "Use Another Server",
  "models.addressPrompt":
    "The address of an OpenAI-compatible server. Its key, if it needs one, is asked for next.",
  "models.addressExample": "https://openrouter.ai/api/v1 or localhost:8000/v1",
  "models.connecting": "AutoGPT: connecting to {address}",
  "models.added": "{provider} added: {state}.",
  "models.namePrompt": "{trouble} To use it anyway, enter a model's name.",
  "models.nameMissing": "Enter the name of a model, or press Escape to cancel.",
  "models.notRunning": "{name} isn't running on this machine with a model. Start it, then try again.",
  "models.tryAgainButton": "Try again",
  "models.otherAddressButton": "Change address…",
  "models.azureFirst": "Azure OpenAI (1 of 2)",
  "models.azureSecond": "Azure OpenAI (2 of 2)",
  "models.endpointPrompt": "The endpoint of your resource.",
  "models.deploymentPrompt": "The name of the deployment that serves the main model.",
  "models.deploymentMissing": "Enter the name of a deployment.",
  "models.noEditorModels":
    "The editor has no language models yet. Sign in to GitHub Copilot, or install another provider.",
  "models.findExtensionsButton": "Find extensions",

  // The Models page
  "models.page": "Models",
  "models.inUse": "In use",
  "models.providers": "Providers",
  "models.addProvider": "Add a provider",
  "models.noModel": "No model yet",
  "models.modelAt": "{model} · {provider}",
  "models.mainHint": "Thinks and acts",
  "models.fastRole": "Fast model",
  "models.fastHint": "Drafts, reviews, summaries",
  "models.changeButton": "Change…",
  "models.changeMain": "Change the main model",
  "models.changeFast": "Change the fast model",
  "models.checkAgainButton": "Check again",
  "models.checking": "Checking…",
  "models.checked": "All providers are checked.",
  "models.removeKeyButton": "Remove key",
  "models.editAddressButton": "Edit address…",
  "models.removeButton": "Remove provider…",
  "models.forProvider": "{provider}: {action}",
  "models.editAddress": "Address: {provider}",
  "models.removeQuestion": "Remove {provider}?",
  "models.removeDetail": "Its address and its API key are removed from this machine.",
  "models.removeConfirmButton": "Remove",
  "models.providerGone": "That provider is no longer in the settings.",
  "models.keysHint":
    "Keys are kept in the editor's secret storage. Each is only ever sent to its own provider.",

  // Facts about a model
  "models.window": "{thousands}k tokens",
  "models.price": "{input} / {output} per million tokens",
  "models.free": "Free",

  // An address that is entered
  "models.emptyAddress": "Enter an address such as https://openrouter.ai/api/v1 or localhost:8000/v1.",
  "models.wrongAddress": '"{address}" is not a web address. Enter one like https://api.openai.com/v1.',
  "models.addressWithKey":
    "The address contains a user name or password. Remove it: the key is asked for next.",

  "models.said": "{said}",
  "models.saidAfter": " {said}",

  // Buttons beside messages
  "models.openSettingButton": "Open setting",
  "models.nothingSetUp":
    'No model is set up yet. Choose one with "AutoGPT: Select Model…", set a key with "AutoGPT: Set API Key…", or try the demo, which needs neither.',
  "models.justification":
    "AutoGPT uses this model. It sends the task, and the files and outputs that the agent works with.",
} as const;
