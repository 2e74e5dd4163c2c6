import assert from "node:assert/strict";
import { createAllCommands } from "../../../../src/commands/all.ts";
import type { Effect } from "../../../../src/core/commands/command.ts";
import type { ApprovalRequest } from "../../../../src/core/ports/approver.ts";
import { createNodeShell } from "../../../../src/node/processes/shell.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { readDeny, readRules } from "../../../../src/safety/policy/rules.ts";
import type { PolicyContext } from "../../../../src/safety/policy/verdict.ts";
import { judged } from "../readers.ts";
import { CONTINUOUS, request } from "../support.ts";

const FILE = "/home/u/app/src/a.ts";
const LINE = "make all";

const workspace = createNodeWorkspace({ folders: [] });
const commands = createAllCommands({
  workspace,
  shell: createNodeShell({ outputFolder: "/nowhere" }),
});

/** A call of a command as its effect makes it. */
function callOf(name: string, effect: Effect): ApprovalRequest {
  const file = { touches: [{ path: FILE, how: effect === "write" ? "write" : "read" }] } as const;
  switch (effect) {
    case "read":
    case "write":
      return request(name, { filename: "src/a.ts" }, { effect, ...file });
    case "run":
      return request(name, { command_line: LINE }, { effect, shell: LINE });
    case "network":
      return request(name, { url: "https://a.org/" }, { effect, hosts: ["a.org"] });
    default:
      return request(name, { reason: "x" }, { effect });
  }
}

const MODES: Readonly<Record<string, Partial<PolicyContext>>> = {
  ask: {},
  grant: { grantLeft: 3 },
  continuous: CONTINUOUS,
};

/** What each kind of rule makes of a call; undefined: as if there were none. */
const RULES: Readonly<Record<string, (name: string) => Partial<PolicyContext>>> = {
  none: () => ({}),
  allow: (name) => ({ rules: readRules([{ command: name, action: "allow" }]) }),
  ask: (name) => ({ rules: readRules([{ command: name, action: "ask" }]) }),
  refuse: (name) => ({ rules: readRules([{ command: name, action: "refuse" }]) }),
  deny: (name) => ({ deny: readDeny([name]) }),
  "deny over allow": (name) => ({
    deny: readDeny([name]),
    rules: readRules([{ command: "*", action: "allow" }]),
  }),
  "a broken rule": (name) => ({ rules: readRules([{ command: name, action: "sure" }]) }),
  "for others": () => ({ rules: readRules([{ command: "something_else", action: "refuse" }]) }),
};

function expected(effect: Effect, mode: string, rule: string): string {
  if (rule === "refuse" || rule.startsWith("deny")) return "refuse";
  if (rule === "ask" || rule === "a broken rule") return "ask";
  if (rule === "allow" || effect === "none" || effect === "read" || effect === "finish") return "allow";
  return mode === "ask" ? "ask" : "allow";
}

describe("every command, in every mode, under every kind of rule", () => {
  for (const { name, effect } of commands) {
    it(`${name} (${effect})`, async () => {
      const asked = callOf(name, effect);
      const wrong: string[] = [];
      for (const [mode, inMode] of Object.entries(MODES)) {
        for (const [rule, under] of Object.entries(RULES)) {
          const verdict = (await judged(asked, { ...inMode, ...under(name) })).split(" ")[0];
          if (verdict !== expected(effect, mode, rule)) wrong.push(`${mode}, ${rule}: ${verdict}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }

  it("has commands to look at", () => assert.ok(commands.length > 10));
});

describe("every command that touches files, when a file is protected", () => {
  for (const { name, effect } of commands.filter(({ effect }) => effect === "write" || effect === "read")) {
    it(`${name} asks in every mode, whatever a rule allows`, async () => {
      const touches = [{ path: "/home/u/app/.env", how: effect === "write" ? "write" : "read" }] as const;
      const asked = request(name, {}, { effect, touches });
      const rules = readRules([{ command: "*", action: "allow" }]);
      const verdicts = await Promise.all(Object.values(MODES).map((mode) => judged(asked, { ...mode, rules })));
      assert.deepEqual(verdicts, Array(3).fill("ask sensitive-file"));
    });
  }
});
