// Makes the npm package of the command line, installs it in a folder of its own without a network, and has it do a task and an evaluation.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { npm } from "../setup/npm.mjs";
import { inRoot, ROOT } from "../setup/root.mjs";

/** As for the extension. */
const MAX_BYTES = 8_000_000;

const { name, version } = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8"));
const tarball = inRoot(`${name}-${version}.tgz`);
npm(["pack", "--loglevel=error"], ROOT);
const { size } = fs.statSync(tarball);
if (size > MAX_BYTES) throw new Error(`The package has ${size} bytes; at most ${MAX_BYTES} are allowed.`);

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-package-"));
try {
  npm(["init", "-y", "--loglevel=error"], temporary);
  npm(["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", tarball], temporary);
  await doTask();
  evaluate();
} finally {
  fs.rmSync(temporary, { recursive: true, force: true });
}
console.log(`${path.basename(tarball)} (${Math.ceil(size / 1000)} kB) is in order.`);

/** Runs a line, writes a file and completes the task, as a model on loopback says. */
async function doTask() {
  const replies = [
    ["execute_shell", { command_line: "echo installed > shell.txt && cat shell.txt | tr a-z A-Z" }],
    ["write_to_file", { filename: "note.txt", contents: "written\n" }],
    ["task_complete", { reason: "All is done." }],
  ];
  const server = createServer(async (request, response) => {
    await text(request);
    const [command, args] = replies.shift() ?? ["task_complete", { reason: "Done." }];
    const reply = { thoughts: { text: `I run ${command}.` }, command: { name: command, args } };
    response.setHeader("content-type", "text/event-stream");
    const chunk = {
      choices: [{ index: 0, delta: { content: JSON.stringify(reply) }, finish_reason: "stop" }],
    };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const workspace = path.join(temporary, "workspace");
  fs.mkdirSync(workspace);
  const program = path.join(temporary, "node_modules", ".bin", "autogpt");
  const child = spawn(
    program,
    [
      ...["--task", "Try the package.", "--workspace", workspace, "--json"],
      ...["--base-url", `http://127.0.0.1:${server.address().port}/v1`, "--model", "scripted"],
      ...["--set", "model.contextWindow=16000", "--set", "model.replyFormat=text"],
      ...["--yes-to", "execute_shell,write_to_file,task_complete"],
    ],
    {
      cwd: temporary,
      env: { ...process.env, XDG_DATA_HOME: path.join(temporary, "data"), INIT_CWD: temporary },
      shell: process.platform === "win32",
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const [output, code] = await Promise.all([text(child.stdout), new Promise((resolve) => child.once("exit", resolve))]);
  server.close();
  const events = output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const end = events.at(-1)?.end?.reason;
  const files = ["shell.txt", "note.txt"].filter((file) => fs.existsSync(path.join(workspace, file)));
  const outputs = events.filter(({ type }) => type === "ended").map(({ outcome }) => outcome.output ?? "");
  if (code !== 0 || end !== "finished" || files.length < 2 || !outputs[0]?.includes("INSTALLED"))
    throw new Error(`The installed program did not do its task (exit code ${code}):\n${output}`);
  const runs = execFileSync(program, ["runs", "list", "--workspace", workspace], {
    env: { ...process.env, XDG_DATA_HOME: path.join(temporary, "data") },
    encoding: "utf8",
  });
  if (!runs.includes("finished, 3 steps")) throw new Error(`The stored run is not listed:\n${runs}`);
}

/** Has the oracle do a task of suites whose parts the package must have. */
function evaluate() {
  const program = path.join(temporary, "node_modules", ".bin", "autogpt");
  for (const suite of ["small", "edits"])
    execFileSync(program, ["eval", "--suite", suite, "--player", "oracle", "--count", "1"], {
      env: { ...process.env, XDG_DATA_HOME: path.join(temporary, "data"), INIT_CWD: temporary },
      shell: process.platform === "win32",
      stdio: ["ignore", "ignore", "inherit"],
    });
}
