/** Keys of services, and what makes a child behave as a part of this program instead of a program of its own. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "OPENAI_API_KEY",
  "OPENAI_ORG_ID",
  "OPENAI_ADMIN_KEY",
  "AZURE_OPENAI_API_KEY",
  "AZURE_OPENAI_AD_TOKEN",
  "ANTHROPIC_API_KEY",
  "GOOGLE_API_KEY",
  "GEMINI_API_KEY",
  "HUGGINGFACE_API_TOKEN",
  "BRAVE_API_KEY",
  "SEARCH_API_KEY",
  "SD_WEBUI_AUTH",
  "TW_CONSUMER_KEY",
  "TW_CONSUMER_SECRET",
  "TW_ACCESS_TOKEN",
  "TW_ACCESS_TOKEN_SECRET",
  "ELECTRON_RUN_AS_NODE",
  "NODE_CHANNEL_FD",
  "NODE_UNIQUE_ID",
  "BASH_ENV",
  "ENV",
  "PROMPT_COMMAND",
]);

const LEFT_OUT_PREFIXES: readonly string[] = ["AUTOGPT_", "VSCODE_", "BASH_FUNC_"];

/** So that programs neither page, nor draw, nor ask. */
const SET: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "false",
};

/** The environment of commands: that of this process without its secrets. `secrets` names further variables to leave out. */
export function shellEnvironment(
  base: Readonly<NodeJS.ProcessEnv>,
  secrets: readonly string[],
): NodeJS.ProcessEnv {
  const hidden = new Set([...LEFT_OUT, ...secrets].map((name) => name.toUpperCase()));
  const kept = Object.entries(base).filter(
    ([name]) =>
      !hidden.has(name.toUpperCase()) &&
      !LEFT_OUT_PREFIXES.some((prefix) => name.toUpperCase().startsWith(prefix)),
  );
  return { ...Object.fromEntries(kept), ...SET };
}
