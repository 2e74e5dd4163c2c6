import { flagsText } from "./flags.ts";

/** How the agent is run without an editor. */
export const USAGE = `Usage: autogpt [run] --task TEXT --workspace DIR [options]
       autogpt runs list|show|resume|fork|undo|export|import [ID] [--workspace DIR] [options]
In the repository: npm run -s agent -- in place of autogpt.

${flagsText()}

explain-policy LINE    the verdict of the policy on a command line; --help says more

runs list              the stored runs of the folder, the newest first
runs show ID           what happened in one
runs resume ID         continue it; all options above apply
runs fork ID --step N  a new run that shares its steps up to N; --files now (as they are),
                       then (undoes the later steps) or DIR (a copy as of that step)
runs undo ID           put the files back that it changed; --step N only those of a step,
                       --redo undoes the latest undo
runs export ID         --format markdown, html, json, debugLog or fineTuning; --output PATH
runs import FILE       take in a run that was exported as JSON

Settings have the names they have in VS Code. --set wins over other flags, they over --settings,
that over the environment (AUTOGPT_RUN_MAX_STEPS for run.maxSteps). Of the folder's own
.vscode/settings.json only what a workspace may decide counts.

The API key is read from OPENAI_API_KEY, for Azure from AZURE_OPENAI_API_KEY; those of other
services from GOOGLE_API_KEY, SEARCH_API_KEY (for web.searchUrl), IMAGE_API_KEY, AUDIO_API_KEY,
SD_WEBUI_AUTH and TW_CONSUMER_KEY, TW_CONSUMER_SECRET, TW_ACCESS_TOKEN, TW_ACCESS_TOKEN_SECRET.
What nothing approves is asked on the terminal; without a terminal it is refused, and the run
goes on.

Exit codes: 0 finished, 1 crashed, 2 exhausted, 3 stuck, 4 failed (model, configuration or disk), 130 stopped.
`;
