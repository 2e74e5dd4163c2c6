import type { ApprovalRequest } from "../../../src/core/ports/approver.ts";
import { loadGrammar } from "../../../src/headless/workers.ts";
import { judge } from "../../../src/safety/policy/policy.ts";
import { readShellFacts } from "../../../src/safety/policy/shell-facts.ts";
import type { PolicyContext } from "../../../src/safety/policy/verdict.ts";
import { loadShellReader } from "../../../src/safety/shell/load.ts";
import type { ShellDialect } from "../../../src/safety/shell/reading.ts";
import type { ShellReader } from "../../../src/safety/shell/script.ts";
import { context, emptyDisk } from "./support.ts";

const loaded = new Map<ShellDialect, Promise<ShellReader>>();

/** A reader of a shell's language, loaded once for all tests. */
export function readerOf(dialect: ShellDialect): Promise<ShellReader> {
  const known = loaded.get(dialect) ?? loadShellReader(dialect, loadGrammar);
  loaded.set(dialect, known);
  return known;
}

/** The verdict on a request, its command line read by bash's reader; "verdict rule". */
export async function judged(asked: ApprovalRequest, more: Partial<PolicyContext> = {}): Promise<string> {
  const { verdict, rule } = judge(asked, await contextFor(asked, more));
  return `${verdict} ${rule}`;
}

/** A context in which a request's command line was read. */
export async function contextFor(asked: ApprovalRequest, more: Partial<PolicyContext> = {}): Promise<PolicyContext> {
  const { shell } = asked.prepared;
  if (shell === undefined) return context(more);
  const ground = { folder: "/home/u/app", folders: ["/home/u/app"], platform: "linux" };
  const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
  return context({ shell: await readShellFacts(shell, knowledge, ground, emptyDisk), ...more });
}
