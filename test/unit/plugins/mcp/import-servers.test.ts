// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders in these files are written like those of template strings

import assert from "node:assert/strict";
import { join } from "node:path";
import { listServerFiles, parseImportedServers } from "../../../../src/plugins/mcp/import-servers.ts";
import type { McpServerValues } from "../../../../src/schema/mcp-values.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

const FOLDER = "/home/me/shop";

/** What a row expects of its only server; absent fields are empty. */
interface Expected {
  readonly id?: string;
  readonly values?: McpServerValues;
  readonly inputs?: readonly string[];
  readonly isOff?: true;
  readonly remarks?: readonly string[];
  readonly problem?: string;
}

interface Row {
  readonly what: string;
  readonly text: string;
  readonly folder?: string;
  readonly expected: Expected;
}

function claude(entry: object, name = "one"): string {
  return JSON.stringify({ mcpServers: { [name]: entry } });
}

function code(entry: object, inputs: readonly object[] = []): string {
  return JSON.stringify({ inputs, servers: { one: entry } });
}

function inputsRemark(inputs: readonly string[] = []): readonly string[] {
  return inputs.length === 0 ? [] : [`Secrets aren't imported. The server needs: ${inputs.join(", ")}.`];
}

const APPROVALS = "Its automatic approvals are left out: AutoGPT asks by its own rules.";

const ROWS: readonly Row[] = [
  {
    what: "VS Code: comments and trailing commas; the folder is written out",
    text: '{\n // ours\n "servers": { "one": { "type": "stdio", "command": "node", "args": ["${workspaceFolder}/server.js",], }, }, }',
    folder: FOLDER,
    expected: { values: { command: "node", args: ["/home/me/shop/server.js"], cwd: FOLDER } },
  },
  {
    what: "VS Code: inputs, a file of variables, and a sandbox that isn't ours",
    text: code(
      {
        command: "npx",
        args: ["-y", "a-server"],
        env: { API_KEY: "${input:key}", LEVEL: 3, EMPTY: null },
        envFile: "${workspaceFolder}/.env",
        cwd: "${workspaceFolder}/tools",
        sandboxEnabled: true,
        sandbox: { network: {} },
      },
      [{ type: "promptString", id: "key", password: true }],
    ),
    folder: FOLDER,
    expected: {
      values: {
        command: "npx",
        args: ["-y", "a-server"],
        env: { API_KEY: "${input:key}", LEVEL: "3" },
        envFile: "/home/me/shop/.env",
        cwd: "/home/me/shop/tools",
      },
      inputs: ["key"],
      remarks: ["Left out: sandbox, sandboxEnabled."],
    },
  },
  {
    what: "VS Code: an input that one of its commands would supply",
    text: code({ command: "a", args: ["${input:x}"] }, [{ type: "command", id: "x", command: "ext.token" }]),
    expected: {
      values: { command: "a", args: ["${input:x}"] },
      inputs: ["x"],
      problem: "one can't be imported: AutoGPT doesn't know its placeholder ${input:x}. Write the value itself.",
    },
  },
  {
    what: "VS Code: a socket",
    text: code({ type: "http", url: "unix:///tmp/server.sock" }),
    expected: {
      values: { url: "unix:///tmp/server.sock" },
      problem: "one can't be imported: its address is a local socket. Set it up with a command instead.",
    },
  },
  {
    what: "VS Code: a placeholder that only it can fill in",
    text: code({ command: "${config:python.path}" }),
    expected: {
      values: { command: "${config:python.path}" },
      problem:
        "one can't be imported: AutoGPT doesn't know its placeholder ${config:python.path}. Write the value itself.",
    },
  },
  {
    what: "VS Code: an address with headers and a client of its own",
    text: code({
      type: "http",
      url: "https://mcp.example.com/mcp",
      headers: { Authorization: "Bearer ${input:token}" },
      oauth: { clientId: "abc" },
    }),
    expected: {
      values: {
        url: "https://mcp.example.com/mcp",
        headers: { Authorization: "Bearer ${input:token}" },
        oauth: { clientId: "abc" },
      },
      inputs: ["token"],
    },
  },
  {
    what: "Claude: variables of the environment, with and without a default",
    text: claude({ command: "${HOME}/bin/server", args: ["--port", "${PORT:-8080}"] }),
    expected: { values: { command: "${env:HOME}/bin/server", args: ["--port", "${env:PORT}"] } },
  },
  {
    what: "Claude: the old transport",
    text: claude({ type: "sse", url: "https://mcp.example.com/sse" }),
    expected: {
      values: { url: "https://mcp.example.com/sse" },
      remarks: [
        "It's set up for the old SSE transport, which isn't supported. It works only if it speaks streamable HTTP, too.",
      ],
    },
  },
  {
    what: "Claude: headers that a program makes",
    text: claude({ url: "https://mcp.example.com", headersHelper: "/bin/token" }),
    expected: {
      values: { url: "https://mcp.example.com" },
      remarks: ["Left out: headersHelper."],
      problem:
        "one can't be imported: its field headersHelper starts a program that AutoGPT doesn't know. Set it up by hand.",
    },
  },
  {
    what: "Cursor: literal secrets become inputs",
    text: claude({
      command: "server",
      env: { GITHUB_TOKEN: "ghp_secret", REGION: "eu", OTHER_KEY: "${env:OTHER_KEY}" },
    }),
    expected: {
      values: {
        command: "server",
        env: { GITHUB_TOKEN: "${input:one.GITHUB_TOKEN}", REGION: "eu", OTHER_KEY: "${env:OTHER_KEY}" },
      },
      inputs: ["one.GITHUB_TOKEN"],
    },
  },
  {
    what: "Cursor: its own names for a client",
    text: claude({ url: "https://mcp.example.com", auth: { CLIENT_ID: "abc", scopes: ["read", "write"] } }),
    expected: { values: { url: "https://mcp.example.com", oauth: { clientId: "abc", scope: "read write" } } },
  },
  {
    what: "Cline: a transport of its own, seconds, and approvals",
    text: claude({
      transport: { transportType: "stdio", command: "server", args: ["--fast"] },
      timeout: 120,
      autoApprove: ["delete_all"],
    }),
    expected: {
      values: { command: "server", args: ["--fast"], timeoutSeconds: 120 },
      remarks: [APPROVALS],
    },
  },
  {
    what: "Cline: turned off",
    text: claude({ command: "server", disabled: true }),
    expected: { values: { command: "server" }, isOff: true },
  },
  {
    what: "Roo: every tool approved, a limit of an hour, and tools that are off",
    text: claude({ command: "server", alwaysAllow: ["*"], timeout: 3600, disabledTools: ["a"] }),
    folder: FOLDER,
    expected: {
      values: { command: "server", cwd: FOLDER, timeoutSeconds: 600 },
      remarks: [APPROVALS, "Left out: disabledTools."],
    },
  },
  {
    what: "a limit in milliseconds",
    text: claude({ command: "server", timeout: 30_000 }),
    expected: { values: { command: "server", timeoutSeconds: 30 } },
  },
  {
    what: "a name with signs that ours can't have",
    text: claude({ command: "server" }, "io.github.me/my server\u202e"),
    expected: { id: "io.github.me-my server-", values: { command: "server" } },
  },
  {
    what: "an entry that is none",
    text: '{"mcpServers":{"one":null}}',
    expected: { values: {}, problem: "one can't be imported: it has neither a command nor an address." },
  },
];

describe("importing MCP servers", () => {
  for (const { what, text, folder, expected } of ROWS)
    it(`reads ${what}`, () => {
      const path = "mcp.json";
      const [found, ...more] = parseImportedServers({ path, text, ...(folder ? { folder } : {}) }) ?? [];
      const { remarks = [], problem, ...rest } = found ?? {};
      assert.deepEqual(
        {
          ...rest,
          remarks: remarks.map(writeInEnglish),
          ...(problem ? { problem: writeInEnglish(problem) } : {}),
          more,
        },
        {
          ...{ id: "one", path, inputs: [], isOff: false, ...expected, more: [] },
          remarks: [...(expected.remarks ?? []), ...inputsRemark(expected.inputs)],
        },
      );
    });

  for (const text of ["", "[]", "{", '{"mcpServers": 3}', '{"projects": {}}'])
    it(`finds no servers in ${JSON.stringify(text)}`, () => {
      assert.equal(parseImportedServers({ path: "mcp.json", text }), undefined);
    });

  it("never takes a name of the prototype for an entry's field", () => {
    const [found] = parseImportedServers({ path: "a", text: '{"mcpServers":{"__proto__":{"command":"x"}}}' }) ?? [];
    assert.deepEqual([found, ({} as { command?: string }).command], [undefined, undefined]);
  });

  it("looks where other programs keep their servers", () => {
    const files = listServerFiles(["/w"], "/home/me", "/code/globalStorage").map(({ path }) => path);
    assert.deepEqual(
      files,
      [
        ...["/w/.vscode/mcp.json", "/w/.mcp.json", "/w/.cursor/mcp.json", "/w/.roo/mcp.json"],
        ...["/home/me/.claude.json", "/home/me/.cursor/mcp.json"],
        "/code/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "/code/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
      ].map((path) => join(path)),
    );
  });
});
