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
  for (const { matches, why } of compiledTable(table)) {
    if (names.some((name, at) => !HARMLESS.test(name) && matches(names, at))) return why;
  }
  return undefined;
}

interface CompiledEntry {
  readonly matches: (names: readonly string[], at: number) => boolean;
  readonly why: string;
}

const compiled = new Map<readonly Entry[], readonly CompiledEntry[]>();

function compiledTable(table: readonly Entry[]): readonly CompiledEntry[] {
  const known = compiled.get(table);
  if (known) return known;
  const entries = table.map(({ paths, why }) => {
    const patterns = paths.map((path) => path.split("/"));
    const matches = (names: readonly string[], at: number): boolean =>
      patterns.some((pattern) => pattern.every((part, offset) => fits(part, names[at + offset])));
    return { matches, why };
  });
  compiled.set(table, entries);
  return entries;
}

/** At most two `*`, at the ends or within. */
function fits(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const star = pattern.indexOf("*");
  if (star === -1) return name === pattern;
  const [head = "", middle = "", tail] = pattern.split("*");
  if (tail === undefined)
    return name.length >= head.length + middle.length && name.startsWith(head) && name.endsWith(middle);
  const from = name.indexOf(middle, head.length);
  return name.startsWith(head) && from !== -1 && name.slice(from + middle.length).endsWith(tail);
}
