import { join } from "node:path";
import { executeShell } from "../../src/commands/shell/execute-shell.ts";
import { createCommandSet } from "../../src/core/commands/command-set.ts";
import type { Outcome } from "../../src/core/commands/outcome.ts";
import { Run } from "../../src/core/events/run.ts";
import { decideAndAct } from "../../src/core/loop/act.ts";
import type { Approver } from "../../src/core/ports/approver.ts";
import { NO_THOUGHTS } from "../../src/core/reply/reply.ts";
import { loadGrammar } from "../../src/headless/workers.ts";
import { createPolicyDisk } from "../../src/node/policy-disk.ts";
import { createNodeShell } from "../../src/node/processes/shell.ts";
import { createNodeWorkspace } from "../../src/node/workspace.ts";
import { Grants } from "../../src/safety/policy/grants.ts";
import { readShellFacts } from "../../src/safety/policy/shell-facts.ts";
import { wrapApproverWithPolicy } from "../../src/safety/policy/with-policy.ts";
import { Provenance } from "../../src/safety/provenance/provenance.ts";
import { loadShellReader } from "../../src/safety/shell/load.ts";
import type { ShellReader } from "../../src/safety/shell/script.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";
import { MemoryLog } from "./memory-log.ts";
import { sampleStart } from "./sample-run.ts";

/** Where a line is proposed. */
export interface LinePlace {
  /** Real path of the workspace folder. */
  readonly folder: string;
  /** The folder in it that the line runs in. */
  readonly at?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What the user answers when asked; without an answer the line is refused. */
  readonly answer?: "approve";
}

/** What became of a proposed line: what it printed, or why the user was asked. */
export interface LineOutcome {
  readonly asked?: string;
  readonly outcome?: Outcome;
}

let reader: Promise<ShellReader> | undefined;

/** Proposes a line where `approval.readOnlyShell` is on, and runs it on this machine if it is allowed. */
export async function propose(line: string, place: LinePlace): Promise<LineOutcome> {
  const { folder, at = ".", env = process.env, answer } = place;
  reader ??= loadShellReader("bash", loadGrammar);
  const read = await reader;
  const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
  const shell = createNodeShell({ outputFolder: `${folder}-outputs`, env });
  const user: Approver & { asked?: string } = {
    async decide({ why }) {
      user.asked = why?.reason ?? "";
      return answer === "approve"
        ? { decision: { allow: true }, by: "user", reason: "approved" }
        : { decision: { allow: false, feedback: "no" }, by: "user", reason: "refused" };
    },
  };
  const approver = wrapApproverWithPolicy(user, {
    grants: new Grants(),
    provenance: new Provenance(),
    platform: process.platform,
    lines: {
      disk: createPolicyDisk(env),
      loadShellLanguage: async () => ({ dialect: "bash", reader: read }),
    },
    getSettings: () => ({ rules: [], deny: [], readOnlyShell: true, allowHosts: [] }),
    listFolders: () => [folder],
    isTrusted: () => true,
  });
  const run = await Run.start(new MemoryLog(), sampleStart());
  const call = { name: "execute_shell", args: { command_line: line, folder: at } };
  const proposal = { kind: "proposal", thoughts: NO_THOUGHTS, call } as const;
  const parts = {
    commands: createCommandSet([executeShell({ workspace, shell })]),
    approver,
    reportOutput: () => undefined,
  };
  const outcomes = await decideAndAct(run, 1, proposal, call, parts, new AbortController().signal);
  const outcome = outcomes?.outcome;
  const ground = { folder: join(folder, at), folders: [folder], platform: process.platform };
  const { notReadOnly } =
    user.asked === undefined
      ? { notReadOnly: undefined }
      : await readShellFacts(line, { dialect: "bash", reader: read }, ground, createPolicyDisk(env));
  return {
    ...(user.asked === undefined ? {} : { asked: writeInEnglish(notReadOnly ?? user.asked) }),
    ...(outcome && outcome.status !== "refused" ? { outcome } : {}),
  };
}
