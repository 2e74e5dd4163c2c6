import { formatArguments } from "../../../src/plugins/foreign-command.ts";
import { KNOWN_SERVERS } from "../../../src/plugins/mcp/known-servers.ts";
import type { Card } from "../../../src/schema/panel-values.ts";
import type { ShownPlugin, ToolsPage } from "../../../src/schema/plugin-values.ts";
import { displayText } from "../../../src/texts/display-text.ts";

const SERVER = [displayText("plugins.kind.mcp"), displayText("plugins.from.user")];

function server(name: string, description: string, more: Partial<ShownPlugin>): ShownPlugin {
  return {
    ...{ key: `mcp user ${name}`, name, facts: SERVER, description, state: "on" },
    ...{ limits: displayText("mcp.processIsolation"), steps: ["start", "configure", "look", "log", "remove", "deny"] },
    secrets: [],
    ...more,
  };
}

/** Servers and plugins in every state, with long names and commands. */
export const TOOLS: ToolsPage = {
  groups: [
    {
      title: displayText("plugins.group.waiting"),
      plugins: [
        server("github", "node tools/github.mjs --everything --log-level debug --repository /work/project", {
          ...{ key: "mcp workspace github", state: "new", steps: ["allow", "deny", "look", "open"] },
          facts: [displayText("plugins.kind.mcp"), displayText("plugins.from.workspace")],
          warning: displayText("mcp.otherCommand", { known: "GitHub" }),
        }),
      ],
    },
    {
      title: displayText("plugins.group.broken"),
      plugins: [
        server("broken", "https://user:secret@example.com/mcp", {
          ...{ state: "broken", steps: ["configure", "look", "log"] },
          why: displayText("mcp.wrongUrl", { name: "broken" }),
        }),
      ],
    },
    {
      title: displayText("plugins.group.on"),
      plugins: [
        server("dice", "node dice.mjs", {
          state: "running",
          tools: [
            { name: "roll", description: "Rolls a die with some sides.", calls: "ask" },
            { name: "count_the_eyes_of_all_dice_together", description: "", calls: "allowed" },
          ],
        }),
        server("remote", "https://mcp.example.com/v1/of/a/very/long/address/without/an/end", {
          state: "failed",
          limits: displayText("mcp.addressIsolation"),
          why: displayText("mcp.notConnected", { name: "remote", why: "connect ECONNREFUSED 127.0.0.1:4711" }),
          steps: ["start", "signIn", "configure", "look", "log", "deny"],
          secrets: [
            { name: "token", stored: true },
            { name: "remote.API_KEY", stored: false },
          ],
        }),
      ],
    },
    {
      title: displayText("plugins.group.unused"),
      plugins: [
        {
          ...{ key: "own extension email", name: "email", description: "", state: "off", secrets: [] },
          facts: [
            displayText("plugins.kind.own"),
            displayText("plugins.adds", { names: ["read_emails", "send_email"] }),
          ],
          limits: displayText("plugins.ownIsolation"),
          steps: ["allow", "look", "configure"],
        },
      ],
    },
  ],
  known: KNOWN_SERVERS.map(({ id, label, about }) => ({ id, label, about })),
};

const LONG_TEXT = Array.from({ length: 60 }, (_, line) => `line ${line + 1} of a long text`).join("\n");

/** A tool's card with short arguments, or with one that doesn't fit. */
export function toolCard(isLong = false): Card {
  const args = {
    sides: 6,
    label: "for the \u202elast\u202c game",
    code: "6",
    options: { fair: true, seeds: [1, 2, 3] },
    ...(isLong ? { note: LONG_TEXT } : {}),
  };
  return {
    ...{ step: 6, hash: "hash-tool", command: "dice__roll", args, text: formatArguments(args) },
    ...{ preview: "details", rule: "effect", reason: "", sources: [], sensitive: false },
    tool: {
      ...{ name: "roll", owner: "dice", hasOnlyArguments: true },
      about: `MCP server dice: roll\ncommand: ["node","dice.mjs"]\ndice.mjs: SHA-256 ${"4f".repeat(32)}`,
    },
  };
}
