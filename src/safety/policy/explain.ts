import { isPrepared } from "../../core/commands/command.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { getOutcomeText, type Source } from "../../core/commands/outcome.ts";
import { type Call, NO_THOUGHTS } from "../../core/reply/reply.ts";
import { Provenance } from "../provenance/provenance.ts";
import { decideVerdict, type PolicyState } from "./policy-state.ts";
import type { Verdict } from "./verdict.ts";

/** A call to judge, as if the agent proposed it after reading text from `sources`. */
export interface CallToJudge {
  readonly call: Call;
  readonly sources: readonly Source[];
}

/** The answer to a call: the policy's verdict, or an error for a call that never reaches the policy. */
export interface Explanation {
  readonly verdict: Verdict["verdict"] | "error";
  /** Stable id of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
  /** File with the code that decided. */
  readonly file: string;
}

const COMMANDS_FILE = "src/core/commands/command-set.ts";

/** Judges a call in the same way as a proposal of the agent: understands, prepares and decides it, but never runs it. */
export async function explain(
  { call: proposed, sources }: CallToJudge,
  commands: CommandSet,
  state: Omit<PolicyState, "provenance">,
  signal: AbortSignal,
): Promise<Explanation> {
  const { call } = commands.understand(proposed);
  const prepared = await commands.prepare(call, { step: 1, signal });
  if (!isPrepared(prepared))
    return {
      verdict: "error",
      rule: classifyUnpreparedCall(call.name, commands),
      reason: getOutcomeText(prepared),
      file: COMMANDS_FILE,
    };
  const provenance = new Provenance();
  for (const source of sources) provenance.add(source);
  const proposal = { kind: "proposal", thoughts: NO_THOUGHTS, call } as const;
  const request = { step: 1, proposal, prepared, hash: "" };
  const { rule, reason, verdict, file } = (await decideVerdict(request, { ...state, provenance })).verdict;
  return { verdict, rule, reason, file };
}

function classifyUnpreparedCall(name: string, { resolve, withheld }: CommandSet): string {
  if (resolve(name) !== undefined) return "invalid-call";
  return withheld.some((one) => one.name === name.toLowerCase()) ? "unavailable-command" : "unknown-command";
}
