/** Servers of tools. */
export const mcpTexts = {
  "mcp.wrongEntry":
    "The entry of the MCP server {name} has the wrong form. It takes command, args, env, envFile and cwd, or url, headers and oauth; and timeoutSeconds, pinned and disabled.",
  "mcp.wrongName":
    "{name} can't be the name of an MCP server. Use up to 40 letters, digits, spaces, dots, underscores and hyphens.",
  "mcp.commandOrUrl": "The MCP server {name} needs a command or an address, and not both.",
  "mcp.wrongUrl":
    "The address of the MCP server {name} must begin with https://, or with http:// on this machine, and contain no password.",
  "mcp.filesUnknown":
    "The MCP server {name} isn't started now: this run has changed files, and it can't be known which files of the workspace the server's start would load. It starts again in the next run, or once you allow it again in Tools and Plugins. To avoid this, set it up with the absolute path of a program outside of the workspace, and a working folder there.",
  "mcp.filesChanged":
    "Files of the MCP server {name} have changed since you allowed it, so it isn't started. Look at it again in Tools and Plugins.",
  "mcp.wrongFile": "{file} can't be read. It must be a JSON file with the MCP servers in its field servers.",
  "mcp.noVariable": "The MCP server {server} needs the environment variable {name}, which isn't set.",
  "mcp.noInput":
    "The MCP server {server} needs the secret {name}. In an editor, you are asked for it; on a command line, set {variable}.",
  "mcp.askInput": "MCP server {server}: {name}",
  "mcp.noProgram": "The MCP server {name} needs the program {command}, which wasn't found.",
  "mcp.notQuotable":
    "The MCP server {name} isn't started: Windows would read a quotation mark, a percent sign or a line break in its arguments as code of the batch file {program}. Pass that value in env, or name the program that the batch file starts, such as node.",
  "mcp.noVariablesFile": "The variables for the MCP server {name} in {file} couldn't be read: {why}",
  "mcp.notStarted": "The MCP server {name} couldn't be started: {why}",
  "mcp.notConnected": "The MCP server {name} couldn't be reached: {why}",
  "mcp.ended": "The MCP server {name} has ended: {why}",
  "mcp.nameTaken": "There is already an MCP server named {name}. Choose another name.",
  "mcp.secretInEntry":
    "This looks like a password or a token, which doesn't belong in a file. Put {placeholder} in its place: you're asked for it when the server starts.",
  "mcp.otherCommand":
    "It's named like {known}, a well-known server, but starts or reaches something else. Look at it closely.",
  "mcp.addCommand": "Add a server by its command",
  "mcp.addCommandPrompt": "The command that starts it, as its documentation shows it. No shell reads it.",
  "mcp.addCommandWrong": "Type a single command. Pipes, redirections and other words of a shell can't be used here.",
  "mcp.addAddress": "Add a server by its address",
  "mcp.addAddressPrompt": "Its address, beginning with https://",
  "mcp.addHeader": "Header with a token",
  "mcp.addHeaderPrompt":
    "The name of the header, such as Authorization. Leave it empty if you sign in to the server, or if it needs no token.",
  "mcp.addHeaderWrong": "Use only letters, digits and hyphens.",
  "mcp.addName": "Name of the server",
  "mcp.addNamePrompt": "The agent's cards and the names of the tools show it.",
  "mcp.addPlace": "Where should {name} be kept?",
  "mcp.addToUser": "Your settings",
  "mcp.addToUserDetail": "Only for you, in all folders",
  "mcp.addToWorkspace": "This workspace",
  "mcp.addToWorkspaceDetail": "{file}, for everybody who works in it. Each of them is asked before it starts.",
  "mcp.addQuestion": "Add the MCP server {name}?",
  "mcp.addButton": "Add",
  "mcp.addAndAllowButton": "Add and allow",
  "mcp.addInputs": "When it starts, you're asked for: {names}.",
  "mcp.known.filesystem": "Reads and writes files of the workspace folder",
  "mcp.known.git": "Reads and changes the workspace's Git repository",
  "mcp.known.github": "Issues, pull requests and code on GitHub; you sign in with your browser",
  "mcp.known.fetch": "Fetches web pages as Markdown",
  "mcp.known.memory": "Remembers facts in a graph",
  "mcp.known.postgres": "Reads a PostgreSQL database; needs its address",
  "mcp.known.playwright": "Controls a browser",
  "mcp.known.context7": "Looks up current documentation of libraries",
  "mcp.known.time": "The time in other time zones",
  "mcp.endsAgain": "The MCP server {name} has ended {count} times, so it isn't started again for now. Last time: {why}",
  "mcp.restricted":
    "{name} wasn't started, because this folder is in Restricted Mode. Trust the folder to start programs in it.",
  "mcp.closed": "The MCP server {name} was closed.",
  "mcp.destructive": "The MCP server {server} says that this might be destructive.",
  "mcp.resourceNotRead": "{mention} wasn't read: {why}",
  "mcp.noServer": "There is no MCP server {name}.",
  "mcp.notAllowed":
    "You haven't allowed the MCP server {name}. Allow it with AutoGPT: Tools and Plugins, or with autogpt plugins allow.",
  "mcp.resourceLate": "The MCP server {name} didn't answer within {seconds} s.",
  "mcp.manyResources": "A message can mention at most {most} resources of MCP servers.",
  "mcp.asksYesNo": "The MCP server {server} asks: {message}\nType yes or no. Never type a password.",
  "mcp.asksField":
    "The MCP server {server} asks: {message}\n{field}\nType a value, or no to decline. Never type a password.",
  "mcp.asksSecret":
    "The MCP server {server} asked for a password or another secret. AutoGPT declined: servers have sign-ins and pages of their own for that.",
  "mcp.asksTooMuch":
    "The MCP server {server} asked for more values than AutoGPT passes on, so it was declined. Give it the values in its settings.",
  "mcp.asksPage":
    "The MCP server {server} wants you to open a page on {host}: {message}\n{url}\nType yes to open it, or no.",
  "mcp.signInFirst": "The MCP server {name} needs you to sign in. Use AutoGPT: Sign In to MCP Server… in the editor.",
  "mcp.signInNone":
    "None of your MCP servers has an address, so there's nothing to sign in to. Those of a workspace have to be allowed first: AutoGPT: Tools and Plugins",
  "mcp.wrongSignInPage":
    "The MCP server {name} wants you to sign in at {url}. It wasn't opened, since it isn't an https:// address.",
  "mcp.signInTitle": "Sign in to which MCP server?",
  "mcp.signingIn": "Signing in to {name}",
  "mcp.signedIn": "You're signed in to the MCP server {name}.",
  "mcp.signInQuestion": "Open {host} to sign in to the MCP server {server}? The sign-in is issued by {issuer}.",
  "mcp.signInMoved":
    "Last time, {before} issued your sign-in. Now the server names {issuer}. Continue only if you know why.",
  "mcp.signInButton": "Open page",
  "mcp.signedOut": "You're signed out of the MCP server {name}.",
  "mcp.signInDeclined": "You didn't sign in to the MCP server {name}.",
  "mcp.signInLate": "The sign-in took longer than five minutes. Try again.",
  "mcp.processIsolation":
    "A separate program that can do anything on this machine that you can. It sees the arguments of its calls.",
  "mcp.addressIsolation": "A server at an address. It sees the arguments of its calls.",
  "mcp.toolChanged":
    "A tool of the MCP server {server}. Its definition has changed since you agreed to it, so it isn't called until you agree again.",
  "mcp.toolsChanged": {
    one: "The MCP server {name} has changed the definition of a tool: {names}. It isn't called until you have looked at it. Open AutoGPT: Tools and Plugins.",
    other:
      "The MCP server {name} has changed the definitions of {count} tools: {names}. They aren't called until you have looked at them. Open AutoGPT: Tools and Plugins.",
  },
} as const;
