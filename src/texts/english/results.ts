/** Results of commands in a few words, after the title of the call: the fact that matters to a person. */
export const resultsTexts = {
  "results.bytes": { one: "{count} byte", other: "{count} bytes" },
  "results.kilobytes": "{size} KB",
  "results.megabytes": "{size} MB",

  // The web and media
  "results.httpStatus": "HTTP {status}",
  "results.pages": { one: "{count} page found", other: "{count} pages found" },
  "results.quotes": { one: "Answered with {count} quote", other: "Answered with {count} quotes" },
  "results.answered": "Answered",
  "results.noAnswer": "No answer on the page",
  "results.emptyPage": "The page has no text",
  "results.noPart": "No such part",
  "results.postedAt": "At {address}",
  "results.noSpeech": "No speech found",

  // Agents, memory and the run itself
  "results.agentAnswered": "Answered: {text}",
  "results.agentExhausted": "No answer: its budget is spent",
  "results.agentStuck": "No answer: it's stuck",
  "results.agentStopped": "No answer: it was stopped",
  "results.agentFailed": "No answer: it failed",
  "results.agentInBackground": "Working in the background",
  "results.agents": { one: "{count} agent", other: "{count} agents" },
  "results.skills": { one: "{count} skill", other: "{count} skills" },
  "results.noAgents": "No agents",
  "results.text": "{text}",

  // Programs
  "results.processOnPort": "Process {id} on port {port}",
  "results.processRunning": "Running",
  "results.processLines": { one: "Running, {count} new line", other: "Running, {count} new lines" },
  "results.processStopped": "Stopped",
  "results.processEnded": "Ended with exit code {code}",
  "results.processesRunning": "{running} of {all} running",
  "results.noProcesses": "No processes",
  "results.noProcess": "No such process",
  "results.terminalCommands": { one: "{count} command", other: "{count} commands" },
  "results.noTerminal": "Terminal not found",
  "results.terminalUnknown": "No commands known yet",
  "results.tasks": { one: "{count} task", other: "{count} tasks" },
  "results.noTasks": "No tasks",

  // Git, notebooks and code
  "results.noRepository": "Not a git repository",
  "results.noCommit": "Commit not found",
  "results.commits": { one: "{count} commit", other: "{count} commits" },
  "results.clonedInto": "Into {path}",
  "results.cells": "{what}",
  "results.cellsChanged": { one: "{count} cell changed", other: "{count} cells changed" },
  "results.cellsNew": { one: "{count} new cell", other: "{count} new cells" },
  "results.cellsDeleted": { one: "{count} cell deleted", other: "{count} cells deleted" },
  "results.cellsMoved": "New order of cells",
  "results.cellsRan": { one: "{count} cell ran", other: "{count} cells ran" },
  "results.cellFailed": "Cell {number} failed",
  "results.notebookClosed": "Notebook closed",
  "results.noCode": "No code in the answer",
} as const;
