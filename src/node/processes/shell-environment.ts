/** Keys of services, and variables that would make a child process act as a part of this program. */
const REMOVED_VARIABLES: ReadonlySet<string> = new Set([
  "OPENAI_API_KEY",
  "OPENAI_ORG_ID",
  "OPENAI_ADMIN_KEY",
  "AZURE_OPENAI_API_KEY",
  "AZURE_OPENAI_AD_TOKEN",
  "ANTHROPIC_API_KEY",
  "GOOGLE_API_KEY",
  "GEMINI_API_KEY",
  "OPENROUTER_API_KEY",
  "MISTRAL_API_KEY",
  "DEEPSEEK_API_KEY",
  "LITELLM_API_KEY",
  "VLLM_API_KEY",
  "LMSTUDIO_API_KEY",
  "OLLAMA_API_KEY",
  "HF_TOKEN",
  "HUGGINGFACE_API_KEY",
  "HUGGINGFACE_API_TOKEN",
  "BRAVE_API_KEY",
  "SEARCH_API_KEY",
  "IMAGE_API_KEY",
  "AUDIO_API_KEY",
  "MEMORY_SECRET",
  "SD_WEBUI_AUTH",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GITLAB_TOKEN",
  "GITLAB_ACCESS_TOKEN",
  "GITLAB_WORKFLOW_TOKEN",
  "FLEET_KEY",
  "ACTIONS_RUNTIME_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "TW_CONSUMER_KEY",
  "TW_CONSUMER_SECRET",
  "TW_ACCESS_TOKEN",
  "TW_ACCESS_TOKEN_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  "ELECTRON_RUN_AS_NODE",
  "NODE_CHANNEL_FD",
  "NODE_UNIQUE_ID",
  "BASH_ENV",
  "ENV",
  "PROMPT_COMMAND",
]);

const REMOVED_PREFIXES: readonly string[] = ["AUTOGPT_", "VSCODE_", "BASH_FUNC_"];

/** Keeps programs from paging, coloring and prompting. */
const SET: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "false",
};

/** Makes Python print and read UTF-8 on Windows, unless the user wants otherwise. */
const WINDOWS_DEFAULTS: Readonly<Record<string, string>> = { PYTHONUTF8: "1", PYTHONIOENCODING: "utf-8" };

/**
 * The environment of commands: this process's, without its secrets. `secrets` names more variables to remove. On Windows, each PowerShell
 * finds its own modules: those of version 7 don't load in version 5.1.
 */
export function createShellEnvironment(
  base: Readonly<NodeJS.ProcessEnv>,
  secrets: readonly string[],
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const isWindows = platform === "win32";
  const removed = [...REMOVED_VARIABLES, ...secrets, ...(isWindows ? ["PSModulePath"] : [])];
  const hidden = new Set(removed.map((name) => name.toUpperCase()));
  const kept = Object.entries(base).filter(
    ([name]) =>
      !hidden.has(name.toUpperCase()) && !REMOVED_PREFIXES.some((prefix) => name.toUpperCase().startsWith(prefix)),
  );
  const own = Object.fromEntries(kept);
  const all = isWindows ? mergeVariables<string | undefined>(WINDOWS_DEFAULTS, own, platform) : own;
  return mergeVariables<string | undefined>(all, SET, platform);
}

/** The value of a variable, under the name that counts if Windows finds several that differ in case. */
export function findVariable(
  env: Readonly<NodeJS.ProcessEnv>,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform !== "win32") return env[name];
  const names = Object.keys(env).filter((other) => other.toUpperCase() === name.toUpperCase());
  return env[names.sort()[0] ?? name];
}

/** The variables with others that replace those of the same name. To Windows, `Path` and `PATH` are the same name. */
export function mergeVariables<Value>(
  base: Readonly<Record<string, Value>>,
  others: Readonly<Record<string, Value>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, Value> {
  if (platform !== "win32") return { ...base, ...others };
  const replaced = new Set(Object.keys(others).map((name) => name.toUpperCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toUpperCase()));
  return { ...Object.fromEntries(kept), ...others };
}

/** Variables for the location and behavior of programs. Any other variable may contain a key. */
const FOR_PROGRAMS = new RegExp(
  `^(?:${[
    "PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|HOSTNAME",
    "XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME|SOURCE_DATE_EPOCH|DEBIAN_FRONTEND|MAKEFLAGS|NIX_(?:PATH|PROFILES)",
    "(?:NODE|CARGO|RUST|RUSTUP|NVM|PYENV|RBENV|ASDF|MISE|SDKMAN|GHCUP|OPAM|DOTNET|JULIA|CMAKE)_[A-Z_]+",
    "PYTHON[A-Z]*|GO(?:ROOT|PATH|BIN|FLAGS|CACHE|MODCACHE|OS|ARCH|TOOLCHAIN|111MODULE)|RUSTFLAGS",
    "(?:JAVA|JDK|M2|MAVEN|GRADLE|GRADLE_USER|ANDROID|KOTLIN|VOLTA|PNPM|GEM|R|CONDA)_(?:HOME|PATH|PREFIX|ROOT|EXE)",
    "CONDA_(?:DEFAULT_ENV|PYTHON_EXE)|VIRTUAL_ENV|BUN_INSTALL|DENO_DIR|ANDROID_SDK_ROOT|GEM_PATH|RUBYLIB|PERL5LIB",
    "LD_LIBRARY_PATH|PKG_CONFIG_PATH|CC|CXX|CFLAGS|CPPFLAGS|CXXFLAGS|LDFLAGS|CGO_[A-Z]+|SSL_CERT_(?:FILE|DIR)",
    "DEVELOPER_DIR|SDKROOT|HOMEBREW_[A-Z_]+",
  ].join("|")})$`,
);

/** Variables of the system without which programs for Windows don't start, or don't find their files. */
const FOR_WINDOWS = new RegExp(
  `^(?:${[
    "PATH|PATHEXT|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|OS|TEMP|TMP|APPDATA|LOCALAPPDATA|PROGRAMDATA|ALLUSERSPROFILE",
    "USERNAME|USERDOMAIN|USERPROFILE|HOMEDRIVE|HOMEPATH|PUBLIC|COMPUTERNAME|NUMBER_OF_PROCESSORS|PROCESSOR_[A-Z0-9]+",
    "(?:COMMON)?PROGRAM(?:FILES(?:\\(X86\\))?|W6432)",
  ].join("|")})$`,
);

/** True for a variable on a list of names in upper case, or on Windows for one of the system's. Case doesn't count there. */
export function isListedVariable(name: string, listed: RegExp, platform: NodeJS.Platform): boolean {
  if (platform !== "win32") return listed.test(name);
  return listed.test(name.toUpperCase()) || FOR_WINDOWS.test(name.toUpperCase());
}

/** Names that suggest a secret although they begin like a program's variable. */
const TELLS = /TOKEN|SECRET|PASS|CREDENTIAL|AUTH|_KEY|KEY_|PRIVATE|REGISTR|PROXY|NETRC|INDEX/;

/** The environment of sandboxed commands: variables that programs need, without any that resemble a secret by name or value. */
export function createSandboxEnvironment(
  base: Readonly<NodeJS.ProcessEnv>,
  redact: (text: string) => string,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const kept = Object.entries(base).filter(
    ([name, value = ""]) =>
      isListedVariable(name, FOR_PROGRAMS, platform) &&
      !TELLS.test(name.toUpperCase()) &&
      redact(value) === value &&
      !/:\/\/[^/\s]*@/.test(value),
  );
  return Object.fromEntries(kept);
}

/** The variables that have a value. */
export function selectDefinedVariables(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

/** The words that run a program with only these variables, however it's started. */
export function addVariables(env: Readonly<Record<string, string>>, words: readonly string[]): readonly string[] {
  return ["/usr/bin/env", "-i", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...words];
}

/** Variables for the program that starts another one in a sandbox. None of them makes a program load anything outside. */
export function selectPlainVariables(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  const kept = Object.entries(selectDefinedVariables(env)).filter(([name]) =>
    /^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|XDG_RUNTIME_DIR|DOCKER_HOST)$/.test(name),
  );
  return Object.fromEntries(kept);
}
