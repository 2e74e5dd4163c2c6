import { call, type FamilyAttack, family, inModes, read } from "../attack.ts";

/** Places that are read before the first step, or by a listing. */
const PLACES = [
  ".gitignore",
  "docs/.gitignore",
  ".ignore",
  ".autogptignore",
  ".vscode/settings.json",
  "AGENTS.md",
  "CLAUDE.md",
  ".autogpt/rules.md",
  ".autogpt/prompt_settings.yaml",
  ".autogpt/mcp.json",
  ".claude/settings.json",
  ".github/hooks/x.json",
  ".github/copilot-instructions.md",
  ".git/info/exclude",
  ".git/config",
  ".gitattributes",
  "package.json",
  ".claude/skills/x/SKILL.md",
  ".rgignore",
  ".cursorrules",
  ".autogpt/notes/x.md",
  ".autogpt/plugins/x/plugin.json",
];

function placed(path: string, made: string, what: string): FamilyAttack {
  return {
    name: `${path} is ${what}`,
    setup: `mkdir -p "$(dirname ${path})"; rm -rf ${path}; ${made.replace("PATH", path)}`,
    calls: [call("list_files", { folder: "." }), call("search_files", { pattern: "apples" }), read("README.md")],
    harm: [{ kind: "hangs" }],
  };
}

/** Links to devices, and pipes, where the start or a listing reads files. */
export const DEVICES = family(
  "devices and pipes",
  inModes(
    ["readOnly"],
    PLACES.flatMap((path) => [
      placed(path, "ln -s /dev/zero PATH", "a link to /dev/zero"),
      placed(path, "mkfifo PATH", "a pipe"),
    ]),
  ),
);
