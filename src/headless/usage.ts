import { renderFlags } from "./flags.ts";

/** The forms of a call, also printed after a usage error that names none of them. */
export const USAGE_LINES = `Usage: autogpt [run] --task TEXT --workspace DIR [options]
       autogpt runs list|show|resume|fork|undo|changes|accept|pr|discard|export|import [ID] [--workspace DIR] [options]
       autogpt acp [--workspace DIR] [options]
       autogpt mcp --workspace DIR [options]
       autogpt mcp import [FILE] [--settings FILE]
       autogpt plugins list|show|allow|deny [NAME] [--workspace DIR] [options]
       autogpt ingest --dir DIR [--init] [--overlap N] [--max-length N] [--workspace DIR] [options]
       autogpt memory list|search|note ["TEXT"] [--workspace DIR] [options]
       autogpt embeddings list|install [--yes]
       autogpt review [--base BRANCH | --commit REV] [--json] [--workspace DIR] [options]
       autogpt fleet run TASKS --on PLACE --report DIR [options]
       autogpt fleet key create|export|import
       autogpt ci [--label NAME] [--minutes N] [options]
       autogpt explain-policy [options] ["LINE"]
       autogpt eval --suite NAME [--model NAME] [--report DIR] [options]
In the repository, type npm run -s agent -- instead of autogpt.
`;

/** How to run the agent without an editor. */
export const USAGE = `${USAGE_LINES}
${renderFlags()}

acp                    offer the agent to editors that speak the Agent Client Protocol; add --help

mcp                    offer the agent to MCP clients over standard input and output; all options
                       above but those of a task apply
mcp import FILE        show the MCP servers of other programs as a setting; --settings FILE adds them

ingest --dir DIR       add the text files and documents in a folder to the memory; add --help for its
                       options

review                 review the changes that aren't committed, or those against a branch or of a commit;
                       add --help for its options

fleet key create       the key that your machines share for runs that move between them; add --help

ci                     work in a job of GitHub Actions, as its event says; add --help

explain-policy LINE    what the policy says about a command line; add --help for its options

eval --suite NAME      measure a model on a suite of tasks; add --help for its options

runs list              the stored runs of the folder, the newest first
runs show ID           what happened in a run
runs resume ID         continue a run; all options above apply
runs fork ID --step N  a new run that shares its steps up to N; --files now (as they are),
                       then (undo the later steps) or DIR (a copy as of that step)
runs undo ID           restore the files that it changed; --step N restores those of one
                       step, --redo reverts the latest undo
runs changes ID        what an isolated run would change, with all texts; --stat prints counts alone
runs accept ID         bring the changes that "runs changes" has shown into the folder, but those that
                       need a look of their own;
                       --file FILE (several times) accepts only these, --replace FILE replaces
                       yours in a conflict, --branch NAME commits to a new branch instead, --undo
                       reverts the latest accept
runs pr ID             show what a pull request of its changes would send, ask, then push and create it on
                       GitHub or GitLab; --branch NAME names the branch, --yes doesn't ask
runs discard ID        delete its copy with all changes
runs export ID         --format markdown, html, json, debugLog, fineTuning or
                       fineTuningLasting (without undone and repeated steps);
                       --output PATH
runs import FILE       import a run that was exported as JSON

plugins list           the plugins within reach, and whether they are used
plugins show NAME      everything that one consists of, as far as it needs your permission
plugins allow NAME     use it, as it is now; a changed one needs your permission again
plugins deny NAME      don't use it

memory list            the 30 newest memories of the folder (--json: whole, one a line); add --help for
                       its options
memory search "WORDS"  the memories that fit best, and why
memory note "TEXT"     save a note as a file in .autogpt/notes, for everybody who has the repository

embeddings list        how memories can be found by meaning here, what leaves the machine, and what
                       that costs; --set model.embedding=NAME chooses one of them
embeddings install     download the encoder for model.embedding=offline; it shows addresses, licenses
                       and hashes, and asks first (--yes: doesn't ask)

Settings have the same names as in VS Code. Each source overrides the ones after it: --set, other
flags, --settings, the environment (AUTOGPT_RUN_MAX_STEPS for run.maxSteps), --env-file, and the
folder's own .vscode/settings.json, which counts only for settings that a workspace may decide.

The API key is read from OPENAI_API_KEY, for Azure from AZURE_OPENAI_API_KEY; those of other
services from GOOGLE_API_KEY, SEARCH_API_KEY (for web.searchUrl), IMAGE_API_KEY, AUDIO_API_KEY,
SD_WEBUI_AUTH, HUGGINGFACE_API_TOKEN and TW_CONSUMER_KEY, TW_CONSUMER_SECRET, TW_ACCESS_TOKEN,
TW_ACCESS_TOKEN_SECRET.
Commands that need approval ask on the terminal. Without a terminal they are refused, and the run
continues.

Exit codes: 0 finished, 1 crashed, 2 exhausted, 3 stuck, 4 failed (model, configuration or disk), 130 stopped.
"review" ends with 5 if it has found something.
`;
