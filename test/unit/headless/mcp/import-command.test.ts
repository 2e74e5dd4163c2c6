import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "../../../support/headless.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

async function place() {
  const [workspace, data] = [await tempFolder(), await tempFolder()];
  await mkdir(join(workspace, ".roo"));
  const server = {
    command: "node",
    args: ["server.js"],
    env: { API_TOKEN: "s3cret" },
    alwaysAllow: ["*"],
  };
  await writeFile(join(workspace, ".roo", "mcp.json"), JSON.stringify({ mcpServers: { tools: server } }));
  return { workspace, data, baseUrl: "http://127.0.0.1:9/v1" };
}

function entryOf(workspace: string): object {
  return {
    tools: {
      command: "node",
      args: ["server.js"],
      env: { API_TOKEN: `\${${"input:tools.API_TOKEN"}}` },
      cwd: workspace,
    },
  };
}

describe("autogpt mcp import", () => {
  it("prints the servers as a setting, and says what would run and what is left out", async () => {
    const setting = await place();
    const { code, stdout, stderr } = await runProgram(setting, "mcp", "import", ".roo/mcp.json");
    assert.deepEqual(
      { code, printed: JSON.parse(stdout), stderr },
      {
        code: 0,
        printed: { "autogpt.mcp.servers": entryOf(setting.workspace) },
        stderr: [
          `tools (${join(setting.workspace, ".roo/mcp.json")})`,
          '  command: ["node","server.js"]',
          `  cwd: ${setting.workspace}`,
          `  variables: {"API_TOKEN":"\${input:tools.API_TOKEN}"}`,
          "  Its automatic approvals are left out: AutoGPT asks by its own rules.",
          "  Secrets aren't imported. The server needs: tools.API_TOKEN.",
          "",
          "tools.API_TOKEN: set the environment variable MCP_INPUT_TOOLS_API_TOKEN.",
          "Add this to a file, and name it with --settings:",
          "",
        ].join("\n"),
      },
    );
  });

  it("adds them to a file of settings, whose comments stay, and only once", async () => {
    const setting = await place();
    const path = join(setting.workspace, "settings.json");
    await writeFile(path, '{\n  // mine\n  "autogpt.run.maxSteps": 7\n}\n');
    const argv = ["mcp", "import", ".roo/mcp.json", "--settings", "settings.json"];
    await runProgram(setting, ...argv);
    const first = await readFile(path, "utf8");
    const { stderr } = await runProgram(setting, ...argv);
    assert.deepEqual(
      {
        isCommented: first.includes("// mine"),
        servers: JSON.parse(first.replace("// mine", ""))["autogpt.mcp.servers"],
        isSame: first === (await readFile(path, "utf8")),
        stderr,
      },
      {
        isCommented: true,
        servers: entryOf(setting.workspace),
        isSame: true,
        stderr: "No servers to import were found.\n",
      },
    );
  });

  it("leaves a server alone that the file has by the same name", async () => {
    const setting = await place();
    const path = join(setting.workspace, "settings.json");
    const before = '{ "autogpt.mcp.servers": { "tools": { "command": "other" } } }';
    await writeFile(path, before);
    const { stderr } = await runProgram(setting, ...["mcp", "import", ".roo/mcp.json", "--settings", "settings.json"]);
    assert.deepEqual(
      {
        after: await readFile(path, "utf8"),
        isSaid: stderr.includes("there is another server with this name"),
      },
      { after: before, isSaid: true },
    );
  });
});
