import { type Platform, segmentsBelow } from "./paths.ts";

/** Why a file is protected, as half a sentence; undefined when it is not. */
export type Protection = string | undefined;

/** What touching a file in some way would endanger. */
export function protectionOf(
  touch: { readonly path: string; readonly how: "read" | "write" | "delete" },
  folders: readonly string[],
  platform: Platform,
): Protection {
  if (touch.path.length > LONGEST_PATH) return "has a path that is too long to be checked";
  const names = segmentsBelow(touch.path, folders, platform);
  return touch.how === "read" ? secretIn(names) : (secretIn(names) ?? controlIn(names));
}

/** What reading a path of these comparable names would give away. */
export function secretIn(names: readonly string[]): Protection {
  return found(SECRETS, names);
}

/** What changing a path of these comparable names would steer: programs, editors, agents, builds. */
export function controlIn(names: readonly string[]): Protection {
  if (names.some((name) => /~\d/.test(name))) return "has a short name, which may stand for a protected file";
  return found(CONTROLS, names);
}

interface Entry {
  /** Names or `*`-patterns of consecutive path segments, in lower case, anywhere in the path; what lies below counts too. */
  readonly paths: readonly string[];
  readonly why: string;
}

const SECRETS: readonly Entry[] = [
  {
    paths: [
      ".env*",
      "*.env",
      "*.tfvars",
      "*.tfstate",
      "secrets.y*ml",
      "secrets.json",
      "secrets.toml",
      ".secrets*",
      "*.kdbx",
      ".vault*",
    ],
    why: "may hold secrets",
  },
  {
    paths: [
      "*.pem",
      "*.key",
      "*.p12",
      "*.pfx",
      "*.jks",
      "*.keystore",
      "*.ppk",
      "*.asc",
      "*.gpg",
      "id_*",
      "*_rsa",
      "*_ed25519",
    ],
    why: "may hold a private key",
  },
  { paths: [".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".config/gcloud", ".oci"], why: "holds keys" },
  {
    paths: [".kube", ".docker/config.json", ".dockercfg", ".config/gh", ".config/hub"],
    why: "holds credentials",
  },
  {
    paths: [
      ".netrc",
      "_netrc",
      ".git-credentials",
      "credentials*",
      ".credentials*",
      "*credentials.json",
      ".pgpass",
      ".my.cnf",
    ],
    why: "holds credentials",
  },
  {
    paths: [
      ".npmrc",
      ".yarnrc*",
      ".pypirc",
      ".gem/credentials",
      ".cargo/credentials*",
      ".m2/settings.xml",
      ".htpasswd",
    ],
    why: "may hold a registry's credentials",
  },
  {
    paths: ["service-account*.json", "service_account*.json", ".terraformrc", ".boto", ".s3cfg"],
    why: "holds credentials",
  },
  {
    paths: [
      ".bash_history",
      ".zsh_history",
      ".python_history",
      ".node_repl_history",
      ".psql_history",
      ".mysql_history",
    ],
    why: "is a history that may hold secrets",
  },
  {
    paths: ["cookies.sqlite", "login data", "logins.json", "key4.db", "keychains"],
    why: "holds a browser's secrets",
  },
];

const CONTROLS: readonly Entry[] = [
  {
    paths: [".git", ".gitattributes", ".gitmodules", ".gitconfig", ".lfsconfig", ".hg", ".svn", ".jj"],
    why: "steers what version control runs",
  },
  {
    paths: [".husky", ".githooks", "lefthook.*", ".lefthook*", ".pre-commit-config.yaml", ".lintstagedrc*"],
    why: "runs at commits",
  },
  {
    paths: [".vscode", "*.code-workspace", ".idea", ".zed", ".fleet", ".vs", ".nvim.lua", ".exrc", ".vimrc"],
    why: "steers the editor",
  },
  {
    paths: [
      ".devcontainer",
      ".devcontainer.json",
      ".envrc",
      ".tool-versions",
      ".mise.toml",
      "mise.toml",
      ".direnv",
    ],
    why: "steers the environment",
  },
  {
    paths: [
      ".github/workflows",
      ".github/actions",
      ".gitlab-ci.yml",
      ".circleci",
      ".travis.yml",
      "jenkinsfile",
      "azure-pipelines.yml",
      ".buildkite",
      ".drone.yml",
    ],
    why: "runs in continuous integration",
  },
  { paths: [".autogpt", ".autogptignore"], why: "steers this agent" },
  { paths: [".mcp.json", "mcp.json", ".mcp"], why: "starts programs for agents" },
  {
    paths: [
      "agents.md",
      "agent.md",
      "agents.override.md",
      "claude.md",
      "claude.local.md",
      "gemini.md",
      "qwen.md",
      "crush.md",
      "warp.md",
      "copilot-instructions.md",
      "*.instructions.md",
      "*.prompt.md",
      "*.chatmode.md",
      "*.agent.md",
      "skill.md",
    ],
    why: "instructs agents",
  },
  {
    paths: [
      ".cursor",
      ".cursorrules",
      ".cursorignore",
      ".clinerules*",
      ".clineignore",
      ".cline",
      ".roo*",
      ".windsurf*",
      ".codeium",
      ".continue*",
      ".aider*",
      ".claude*",
      ".gemini",
      ".geminiignore",
      ".codex",
      ".opencode*",
      "opencode.json*",
      ".kiro",
      ".junie",
      ".amazonq",
      ".augment*",
      ".goose*",
      ".trae",
      ".qwen",
      ".crush*",
      ".openhands*",
      ".kilocode*",
      ".agents",
      ".agent",
      ".factory",
      ".qoder",
      ".void",
      ".rules",
      ".copilot",
      ".github/instructions",
      ".github/prompts",
      ".github/agents",
      ".github/chatmodes",
      ".github/hooks",
      ".airules",
      "airules.md",
    ],
    why: "instructs or steers other agents",
  },
  {
    paths: [
      ".npmrc",
      ".yarnrc*",
      ".yarn",
      ".pnpmfile.*",
      "pnpm-workspace.yaml",
      ".pypirc",
      "pip.conf",
      ".cargo/config*",
      ".bazelrc",
      ".mvn",
      "gradle-wrapper.properties",
      "nuget.config",
    ],
    why: "steers a package manager",
  },
  {
    paths: [
      ".bashrc",
      ".bash_profile",
      ".bash_login",
      ".bash_logout",
      ".profile",
      ".zshrc",
      ".zshenv",
      ".zprofile",
      ".zlogin",
      ".inputrc",
      ".config/fish",
      ".config/autostart",
      ".config/systemd",
      "launchagents",
      "launchdaemons",
      "crontab",
      "authorized_keys",
      "known_hosts",
      "sudoers",
    ],
    why: "runs when somebody logs in",
  },
];

/** Public keys, and source files that only begin like a key (`id_map.ts`). */
const HARMLESS = /\.pub$|^id_.*\.\w/;
const LONGEST_PATH = 4096;

function found(table: readonly Entry[], names: readonly string[]): Protection {
  const { mayMatch, entries } = compiledTable(table);
  for (const [at, name] of names.entries()) {
    if (!mayMatch.test(name) || HARMLESS.test(name)) continue;
    const entry = entries.find(({ patterns }) => patterns.some((pattern) => fitsAt(pattern, names, at)));
    if (entry) return entry.why;
  }
  return undefined;
}

interface CompiledTable {
  /** Fits every name that a pattern of the table can begin with: one look tells most names apart. */
  readonly mayMatch: RegExp;
  readonly entries: readonly { readonly patterns: readonly (readonly RegExp[])[]; readonly why: string }[];
}

const compiled = new Map<readonly Entry[], CompiledTable>();

function compiledTable(table: readonly Entry[]): CompiledTable {
  const known = compiled.get(table);
  if (known) return known;
  const firsts = table.flatMap(({ paths }) => paths.map((path) => sourceOf(path.split("/")[0] ?? "")));
  const entries = table.map(({ paths, why }) => ({
    patterns: paths.map((path) => path.split("/").map((part) => new RegExp(`^${sourceOf(part)}$`, "s"))),
    why,
  }));
  const made = { mayMatch: new RegExp(`^(?:${firsts.join("|")})$`, "s"), entries };
  compiled.set(table, made);
  return made;
}

/** The patterns are our own and hold two stars at most, so this cannot explode. */
function sourceOf(pattern: string): string {
  return pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
}

function fitsAt(pattern: readonly RegExp[], names: readonly string[], at: number): boolean {
  return pattern.every((part, offset) => part.test(names[at + offset] ?? "/"));
}
