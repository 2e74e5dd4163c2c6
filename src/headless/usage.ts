/** How the agent is run without an editor. */
export const USAGE = `Usage: npm run -s agent -- --task TEXT --workspace DIR [options]
       npm run -s agent -- --resume ID --workspace DIR [options]

  --task TEXT            what the agent shall do; with --resume: what it shall know
  --workspace DIR        the folder it works in
  --profile FILE         who it is: YAML with ai_name, ai_role, ai_goals, api_budget
  --base-url URL         an OpenAI-compatible API (else OPENAI_BASE_URL, else OpenAI's own)
  --model NAME           the model that thinks
  --fast-model NAME      the model for small tasks (else the same)
  --continuous N         approve the next N commands that would be asked about
  --yes-to A,B,...       approve these commands always
  --sandbox MODE         run command lines in the system's sandbox: confined (they ask as ever)
                         or trusted (those that delete nothing do not ask); else off
  --python PATH          the interpreter for its Python code (else .venv or venv, else python3)
  --python-docker        run its Python code in Docker
  --set NAME=VALUE       a setting of the web, pictures, recordings, agents or memory,
                         as in VS Code: --set web.allowHosts=localhost
                         --set model.contextWindow=8192
                         --set downloads.enabled=true --set memory.enabled=false
  --resume ID            go on with a stored run
  --json                 print the run's events, one JSON object a line, and nothing else
  --help                 print this

The API key is read from OPENAI_API_KEY; those of other services from GOOGLE_API_KEY,
SEARCH_API_KEY (for web.searchUrl), IMAGE_API_KEY, AUDIO_API_KEY, SD_WEBUI_AUTH and
TW_CONSUMER_KEY, TW_CONSUMER_SECRET, TW_ACCESS_TOKEN, TW_ACCESS_TOKEN_SECRET. What
nothing approves is asked on the terminal; without a terminal it is refused, and the run
goes on.

Exit codes: 0 finished, 1 crashed, 2 exhausted, 3 stuck, 4 failed (model, configuration or disk), 130 stopped.
`;
