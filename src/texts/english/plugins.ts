/** Plugins, hooks, and servers of tools. */
export const pluginsTexts = {
  "plugins.sameName": "Another plugin named {name} comes first. Rename one of them to use both.",
  "plugins.notLoaded": "The plugin {name} wasn't loaded: {why}",
  "plugins.someNotLoaded": "{count} plugins weren't loaded: {names}. Open AutoGPT: Tools and Plugins to see why.",
  "plugins.waiting": {
    one: "Waiting for your permission: {names}. See AutoGPT: Tools and Plugins.",
    other: "{count} plugins are waiting for your permission: {names}. See AutoGPT: Tools and Plugins.",
  },
  "plugins.waitingHeadless": {
    one: "A plugin is waiting for your permission: {names}. See autogpt plugins list.",
    other: "{count} plugins are waiting for your permission: {names}. See autogpt plugins list.",
  },
  "plugins.page": "Tools and plugins",
  "plugins.none":
    "Nothing yet. Add a server of tools below, put a folder into .autogpt/plugins of the workspace, or install an extension that brings a plugin.",
  "plugins.documentTitle": "Plugin {name}",
  "plugins.beforeTitle": "Plugin {name}, as you allowed it",
  "plugins.compareTitle": "{name}: what you allowed, and now",
  "plugins.askAllow": "Allow the plugin {name}?",
  "plugins.serverName":
    "The command {command} of the plugin {name} isn't offered: names with two underscores belong to the tools of MCP servers.",
  "plugins.longConsent": "There is more. Cancel and choose Show everything to read it first.",
  "plugins.allowButton": "Allow",
  "plugins.noPrompts": "{name} has no prompts.",
  "plugins.promptTitle": "Prompts of {name}",
  "plugins.promptQuestion": "Start the agent with this prompt of {name}?",
  "plugins.promptButton": "Start agent",
  "plugins.promptLoading": "Asking {name} for its prompts",
  "plugins.step.prompt": "Start with a prompt…",
  "plugins.step.allow": "Allow…",
  "plugins.step.deny": "Deny",
  "plugins.step.forget": "Forget your answer",
  "plugins.step.look": "Show everything",
  "plugins.step.start": "Start",
  "plugins.step.remove": "Remove…",
  "plugins.step.compare": "Show what changed",
  "plugins.forPlugin": "{action}: {name}",
  "plugins.moreSteps": "More for {name}",
  "plugins.notAllowed": "{name} isn't started: you haven't allowed it as it is now.",
  "plugins.removeQuestion": "Remove the MCP server {name} from your settings?",
  "plugins.removeButton": "Remove",
  "plugins.tools": { one: "{count} tool", other: "{count} tools" },
  "plugins.calls.ask": "asks each time",
  "plugins.calls.allowed": "allowed by your rules",
  "plugins.calls.refused": "refused by your rules",
  "plugins.secretStored": "{name}: stored",
  "plugins.secretMissing": "{name}: you're asked for it at the start",
  "plugins.setSecretButton": "Enter…",
  "plugins.removeSecretButton": "Forget",
  "plugins.secretsHint": "Passwords and tokens are kept in VS Code's secret storage, never in a file.",
  "plugins.addServer": "Add a server",
  "plugins.byCommand": "By command…",
  "plugins.byAddress": "By address…",
  "plugins.importButtonTitle": "From other programs…",
  "plugins.knownHint": "Nothing is downloaded or started before you have seen the whole command and allowed it.",
  "plugins.step.configure": "Open settings",
  "plugins.step.open": "Open its file",
  "plugins.step.log": "Show log",
  "plugins.step.secret": "Enter password or key…",
  "plugins.step.signIn": "Sign in…",
  "plugins.step.signOut": "Sign out",
  "plugins.group.waiting": "Waiting for your permission",
  "plugins.group.broken": "Can't be used",
  "plugins.group.on": "On",
  "plugins.group.unused": "Not used",
  "plugins.state.on": "On",
  "plugins.state.running": "Running",
  "plugins.state.starting": "Starting…",
  "plugins.state.failed": "Failed",
  "plugins.state.new": "Waiting for your permission",
  "plugins.state.changed": "Changed since you allowed it",
  "plugins.state.denied": "Denied",
  "plugins.state.excluded": "Excluded by the settings",
  "plugins.state.off": "Off",
  "plugins.state.broken": "Can't be used",
  "plugins.kind.extension": "From an extension",
  "plugins.kind.own": "Part of AutoGPT",
  "plugins.kind.folder": "Folder",
  "plugins.kind.python": "Python plugin of classic AutoGPT",
  "plugins.kind.hooks": "Command hooks",
  "plugins.kind.mcp": "MCP server",
  "plugins.kind.tools": "Tools in the editor",
  "plugins.from.user": "Yours",
  "plugins.from.workspace": "From this workspace",
  "plugins.adds": "Adds {names}",
  "plugins.off":
    "The plugin {name} failed {count} times in a row, so it's off for the rest of this run. Last time: {why}",
  "plugins.notRegistered": "The extension {extension} was activated, but it didn't register the plugin {name}.",
  "plugins.inExtension": "Runs inside the extension host, so it's as trusted as any extension.",
  "plugins.modelFailed":
    'The plugin {name} couldn\'t answer in place of a model: {why} Choose another one with "AutoGPT: Select Model…".',
  "plugins.commandGone": "The plugin no longer offers the command {name}.",
  "plugins.deny": "The plugin {name} refused this: {why}",
  "plugins.ask": "The plugin {name} wants you to decide: {why}",
  "plugins.changed": "Changed by the plugin: {names}. This isn't what the model asked for.",
  "plugins.guardFailed":
    "The plugin {name} checks commands, and it couldn't check this one ({why}), so it's up to you.",
  "plugins.hooksIsolation":
    "Its commands run as you, outside every sandbox. They see each call that their events are about.",
  "plugins.hooksNotJson": "The file isn't JSON, so none of its hooks run ({why}). Correct it.",
  "plugins.hooksForm":
    "The file has no lists of hooks by event, so none of its hooks run. Compare it with the documentation.",
  "plugins.hooksTooLong": "The file is too long for a file of hooks, so none of its hooks run. Shorten it.",
  "plugins.hooksMatcher":
    'The matcher "{matcher}" is neither a list of names nor a regular expression that can be used, so none of the file\'s hooks run. Correct it.',
  "plugins.hookSays": "{name}: {text}",
  "plugins.hooksHome":
    "Its scripts are in your home folder, which a container can't show it. Move them into the workspace, or start a run that isn't isolated.",
  "plugins.hooksLinked":
    "The run has put a link at {path} in its own home. Start another run, or move the script into the workspace.",
  "plugins.hookWithin":
    "The hooks in {name} ran in this run's sandbox: they see its files and their own scripts, can't change your home folder, and reach no other network than the run's command lines. If they need more, start a run that is neither isolated nor sandboxed.",
  "plugins.hookStops": "The hooks in {name} stopped this: {why}",
  "plugins.pythonIsolation":
    "It runs as you in a Python process of its own, outside every sandbox. It sees the calls, outcomes and texts that its hooks are about.",
  "plugins.noClassicPlugin": "It contains no plugin for classic AutoGPT. Remove it.",
  "plugins.changedSince":
    "Its files have changed since you allowed them. Look at them again with AutoGPT: Tools and Plugins.",
  "plugins.noPlainFile":
    '"{file}" is a link or a special file, so the plugin isn\'t used. Replace it with the file itself.',
  "plugins.zipLeadsOut":
    '"{file}" in the zip leads out of its folder, so nothing of it is used. Don\'t trust this zip.',
  "plugins.zipDamaged": "The zip file is damaged. Download it again.",
  "plugins.tooLarge":
    "It has more than {files} files or {megabytes} MB, so it isn't used. Remove what it doesn't need.",
  "plugins.noPython":
    "It needs Python 3.8 or later, which wasn't found. Install it, or name it in autogpt.python.interpreter.",
  "plugins.oldPython":
    "It needs Python 3.8 or later, and {path} is Python {version}. Name another one in autogpt.python.interpreter.",
  "plugins.folder.noIndex":
    "There is no index.mjs in this folder. Add one that exports an object with hooks as its default.",
  "plugins.folder.badManifest":
    "Its plugin.json isn't JSON of the right form. It may have name, description, hooks (a list), guard and network.",
  "plugins.folder.noHooks":
    "No hook was found in its index.mjs. Define one there, or list their names under hooks in its plugin.json.",
  "plugins.folder.badName": "Rename its folder: only letters, digits, dots, underscores and hyphens may be in it.",
  "plugins.folder.link":
    "{path} is a link or a special file, which could lead to anything. Put the file itself in its place.",
  "plugins.folder.tooMany": "It has more than {count} files and folders. Remove what it doesn't need.",
  "plugins.folder.tooLarge": "Its files take more than {megabytes} MB. Remove what it doesn't need.",
  "plugins.folder.unreadable": "It couldn't be read: {why}",
  "plugins.folder.walls":
    "It sees what its hooks are told, and runs isolated: it can read its own files only, and can't write files, reach other programs or use the network.",
  "plugins.folder.wallsNetwork":
    "It sees what its hooks are told, and runs isolated except for the network, which it asks for: it can send what it sees anywhere. It can read its own files only, and can't write files or reach other programs.",
  "plugins.folder.permissions":
    "It sees what its hooks are told, and runs in a process of its own that can't read other files, write files or start programs. The network and this machine's own services are open to it, and nothing but Node.js holds it back.",
  "plugins.folder.none":
    "It isn't isolated: nothing on this system can confine it, so it can do whatever you can do. It runs in a process of its own.",
  "plugins.toolsIsolation":
    "Runs inside the editor, which doesn't ask about it. AutoGPT asks about each call, and the tool sees its arguments.",
  "plugins.ownIsolation":
    "It comes with this extension and runs inside it. It sees the arguments of its commands, and asks only the servers in your settings.",
  "plugins.ownUntrusted": "{path} belongs to a workspace that you don't trust, so it isn't read.",
  "plugins.importField":
    "{name} can't be imported: its field {field} starts a program that AutoGPT doesn't know. Set it up by hand.",
  "plugins.importNothing": "{name} can't be imported: it has neither a command nor an address.",
  "plugins.importSocket": "{name} can't be imported: its address is a local socket. Set it up with a command instead.",
  "plugins.importPlaceholder":
    "{name} can't be imported: AutoGPT doesn't know its placeholder {placeholder}. Write the value itself.",
  "plugins.importApprovals": "Its automatic approvals are left out: AutoGPT asks by its own rules.",
  "plugins.importTitle": "Import MCP servers",
  "plugins.importWhat": "Which servers should be imported? None of them starts before you allow it.",
  "plugins.importQuestion": "Add these MCP servers to your settings?",
  "plugins.importButton": "Add",
  "plugins.importNone":
    "No MCP servers to import were found. AutoGPT looks for those of VS Code, Claude, Cursor, Cline and Roo.",
  "plugins.imported": {
    one: "An MCP server was added to your settings. It's waiting for your permission: AutoGPT: Tools and Plugins",
    other:
      "{count} MCP servers were added to your settings. They're waiting for your permission: AutoGPT: Tools and Plugins",
  },
  "plugins.importTaken": "{name} can't be imported: there is another server with this name. Rename one of them.",
  "plugins.importLeft": "Left out: {fields}.",
  "plugins.importInputs": "Secrets aren't imported. The server needs: {names}.",
  "plugins.importSse":
    "It's set up for the old SSE transport, which isn't supported. It works only if it speaks streamable HTTP, too.",
} as const;
