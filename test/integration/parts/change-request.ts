import type { ApprovalRequest } from "../../../src/core/ports/approver.ts";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";

/** A change of one file, as a test wants it proposed. */
export interface TestChange {
  readonly file: string;
  readonly target: string;
  readonly before?: string;
  readonly after: string;
  readonly step?: number;
}

/** The request to approve it. */
export function changeRequest({ step = 1, ...change }: TestChange): ApprovalRequest {
  return {
    step,
    hash: hashOf(change.after),
    proposal: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "write_to_file", args: {} } },
    prepared: {
      effect: "write",
      preview: { kind: "change", ...change },
      touches: [{ path: change.target, how: "write" }],
      fresh: async () => true,
      run: async () => ({ status: "done", output: "" }),
    },
  };
}

/** Different for different texts; the review does not care how it is made. */
function hashOf(text: string): string {
  return Buffer.from(text).toString("hex").padEnd(64, "0").slice(-64);
}
