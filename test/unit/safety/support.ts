import type { PreparedCall } from "../../../src/core/commands/command.ts";
import type { ApprovalRequest } from "../../../src/core/ports/approver.ts";
import type { Disk } from "../../../src/core/ports/disk.ts";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import type { IsolatedContext, PolicyContext } from "../../../src/safety/policy/verdict.ts";

/** A proposal as the policy gets it; details only where a test cares. */
export function request(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  details: Partial<PreparedCall> = {},
  more: Partial<ApprovalRequest> = {},
): ApprovalRequest {
  const prepared: PreparedCall = {
    effect: "none",
    preview: { kind: "details", text: "" },
    touches: [],
    fresh: async () => true,
    run: async () => ({ status: "done", output: "" }),
    ...details,
  };
  const proposal = { kind: "proposal", thoughts: NO_THOUGHTS, call: { name, args } } as const;
  return { step: 1, proposal, prepared, hash: "h", ...more };
}

export function reads(path: string): ApprovalRequest {
  return request("read_file", { filename: path }, { effect: "read", touches: [{ path, how: "read" }] });
}

export function writes(path: string): ApprovalRequest {
  const change = { effect: "write", touches: [{ path, how: "write" }] } as const;
  return request("write_to_file", { filename: path, contents: "x" }, change);
}

export function runs(line: string): ApprovalRequest {
  return request("execute_shell", { command_line: line }, { effect: "run", shell: line });
}

export function browses(host: string): ApprovalRequest {
  return request("browse_website", { url: `https://${host}/` }, { effect: "network", hosts: [host] });
}

/** A trusted workspace in /work/app, nothing allowed in advance. */
export function context(more: Partial<PolicyContext> = {}): PolicyContext {
  return {
    mode: "ask",
    grantLeft: 0,
    continuousLeft: 0,
    rules: [],
    deny: [],
    readOnlyShell: false,
    folders: ["/home/u/app"],
    hosts: [],
    untrusted: [],
    trustedWorkspace: true,
    platform: "linux",
    ...more,
  };
}

export const CONTINUOUS: Partial<PolicyContext> = { mode: "continuous", continuousLeft: 5 };

/** An isolated run whose copy is in /home/u/app. */
export const ISOLATED: IsolatedContext = {
  commands: new Set(["read_file", "write_to_file", "execute_shell", "download_file"]),
  folders: [{ path: "/home/u/app", origin: "/work/app" }],
  places: ["/home/u/app", "/home/u/repository"],
};

/** A disk with nothing on it. */
export const emptyDisk: Disk = {
  resolveRealPaths: async () => [],
  findBelow: async () => undefined,
  findIgnoredFile: async () => undefined,
  findRepository: async () => undefined,
  findProgram: async () => undefined,
  hash: async () => undefined,
  readText: async () => undefined,
};
