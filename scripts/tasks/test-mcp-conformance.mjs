// Runs the conformance suites of MCP against our client, bundled as it's shipped. --quick: without the scenarios about signing in.
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as esbuild from "esbuild";
import { inRoot, ROOT } from "../setup/root.mjs";
import { validatorsPlugin } from "../validators-plugin.mjs";

/** Both suites, pinned in package.json, with the number of their scenarios that aren't extensions. */
const SUITES = [
  { name: "mcp-conformance-2025", newest: undefined, count: 23 },
  { name: "@modelcontextprotocol/conformance", newest: "2026-07-28", count: 38 },
];

/** Scenarios that the SDK under our client doesn't pass, each with the reason. */
const KNOWN = {
  "mcp-conformance-2025 auth/2025-03-26-oauth-metadata-backcompat":
    "the suite's own server names another issuer than the one that it is (modelcontextprotocol/conformance#359, fixed in the newer suite); the SDK refuses that (typescript-sdk#2344)",
};

const LIMIT_MS = 120_000;
const AT_ONCE = 2;

const quick = process.argv.includes("--quick");
const only = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-conformance-"));
try {
  const client = path.join(folder, "client.mjs");
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ["scripts/mcp-client.ts"],
    outfile: client,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    logLevel: "warning",
    alias: { "@modelcontextprotocol/client/_shims": inRoot("scripts/mcp-client-parts.mjs") },
    plugins: [validatorsPlugin],
    banner: {
      js: 'import { createRequire as of } from "node:module"; const require = of(import.meta.url);',
    },
  });
  let failed = 0;
  let passed = 0;
  for (const suite of SUITES) {
    const scenarios = await scenariosOf(suite);
    if (scenarios.length !== suite.count) throw new Error(`${suite.name} has ${scenarios.length} scenarios.`);
    const wanted = scenarios.filter(
      ({ name }) => (!quick || !name.startsWith("auth/")) && (only.length === 0 || only.includes(name)),
    );
    const results = await inTurns(wanted, (scenario) => tried(suite, scenario, client));
    const missed = results.filter(({ isPassed }) => !isPassed);
    console.log(`${suite.name} ${versionOf(suite)}: ${wanted.length - missed.length} of ${wanted.length}`);
    for (const { name, words } of missed) {
      console.log(`  ${name}: ${KNOWN[`${suite.name} ${name}`] ?? "unexpected"}\n${words}`);
    }
    passed += wanted.length - missed.length;
    failed += missed.filter(({ name }) => !KNOWN[`${suite.name} ${name}`]).length;
  }
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function programOf({ name }) {
  return inRoot("node_modules", name, "dist/index.js");
}

function versionOf({ name }) {
  return JSON.parse(fs.readFileSync(inRoot("node_modules", name, "package.json"), "utf8")).version;
}

async function scenariosOf(suite) {
  const { text } = await run([programOf(suite), "list", "--client"]);
  return [...text.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)]
    .map(([, name, versions]) => ({ name, versions: versions.split(",") }))
    .filter(({ versions }) => !versions.includes("extension"));
}

async function tried(suite, { name, versions }, client) {
  const asked = versions.includes(suite.newest) ? ["--spec-version", suite.newest] : [];
  const command = `${process.execPath} ${client}`;
  const out = path.join(folder, suite.name.replaceAll("/", "-"));
  const { code, text } = await run([
    ...[programOf(suite), "client", "--command", command, "--scenario", name],
    ...[...asked, "--timeout", "60000", "-o", out],
  ]);
  const words = text.split("\n").filter((line) => /FAILURE|Error|Passed:|^ {2}- /.test(line));
  return { name, isPassed: code === 0, words: words.map((line) => `    ${line.trim()}`).join("\n") };
}

function run(args) {
  const options = { cwd: folder, timeout: LIMIT_MS, maxBuffer: 64_000_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, text: `${stdout}${stderr}` }),
    );
  });
}

/** Does something with each, a few at a time. */
async function inTurns(items, act) {
  const results = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await act(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
