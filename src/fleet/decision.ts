import { randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "../core/base/json.ts";
import type { ApprovalRequest } from "../core/ports/approver.ts";
import { ignoreCodes } from "../disk/error-codes.ts";
import { sha256 } from "../disk/sha256.ts";
import type { FleetBinding, FleetDecision } from "../schema/fleet/decisions.ts";
import { isFleetDecision } from "../schema/host-validators.ts";
import { type DisplayText, displayText } from "../texts/display-text.ts";
import { type FleetPerson, hasSeal, readSealedText, writeSealedText } from "./sealed-text.ts";
import { checkSshSignature } from "./signatures.ts";

/** How long a question can be answered. */
const ANSWER_MS = 3 * 24 * 60 * 60 * 1000;
/** How far the clock of the machine that decides may be ahead. */
const CLOCK_MS = 5 * 60 * 1000;

/** Something that a run asks, as the loop has it. */
export type AskedByRun =
  | { readonly kind: "proposal"; readonly request: ApprovalRequest }
  | { readonly kind: "question"; readonly text: string };

/** A user, and the time. */
export interface DecisionPlace extends FleetPerson {
  /** In ms since 1970. */
  readonly nowMs: number;
}

/** SHA-256 of all that a person decides about: whatever changes in it needs a new answer. */
export function hashAsked(run: string, asked: AskedByRun): string {
  if (asked.kind === "question") return sha256(JSON.stringify([run, "question", asked.text]));
  const { step, proposal, prepared, hash } = asked.request;
  const { name, args } = proposal.call;
  const { effect, shell = "", cwd = "", hosts = [] } = prepared;
  return sha256(JSON.stringify([run, "proposal", step, name, args, hash, effect, shell, cwd, hosts]));
}

/** Binds a question to its run, attempt and expiry. */
export function createBinding(
  run: string,
  attempt: number,
  asked: AskedByRun,
  { nowMs, id = randomUUID() }: { readonly nowMs: number; readonly id?: string },
): FleetBinding {
  return { run, attempt, id, hash: hashAsked(run, asked), expiresMs: nowMs + ANSWER_MS };
}

/** Seals a decision with the fleet's key, and signs it with the user's SSH key if there is one. Throws a sentence. */
export async function signDecision(
  { run, attempt, id, hash, expiresMs }: FleetBinding,
  answer: FleetDecision["answer"],
  { data, key, nowMs }: DecisionPlace,
): Promise<string> {
  const binding = { run, attempt, id, hash, expiresMs };
  const decision: FleetDecision = { version: 1, binding, decidedMs: nowMs, answer };
  return writeSealedText({ data, key }, getPurpose(binding), decision);
}

/** The result of checking a decision. */
export type DecisionCheck =
  /** `by`: the signer, where signatures are asked for. */
  | { readonly ok: true; readonly answer: FleetDecision["answer"]; readonly by?: string }
  | { readonly ok: false; readonly why: DisplayText };

/**
 * Checks a decision about a question that waits, and uses it up. It counts once on this machine, and each attempt has one machine. Whoever
 * carries it is trusted with nothing.
 */
export async function checkDecision(text: string, asked: FleetBinding, place: DecisionPlace): Promise<DecisionCheck> {
  const { data, key, nowMs } = place;
  const sealed = readSealedText(text);
  if (!sealed) return refuse("fleet.decision.unreadable");
  const decision = tryJson(sealed.text);
  if (!hasSeal(key, getPurpose(asked), sealed)) return refuse("fleet.decision.foreign");
  if (!isFleetDecision(decision)) return refuse("fleet.decision.otherVersion");
  const { binding, decidedMs, answer } = decision;
  if (binding.run !== asked.run || binding.attempt !== asked.attempt) return refuse("fleet.decision.foreign");
  if (binding.hash !== asked.hash || binding.id !== asked.id) return refuse("fleet.decision.changed");
  if (binding.expiresMs !== asked.expiresMs) return refuse("fleet.decision.foreign");
  if (nowMs >= asked.expiresMs) return refuse("fleet.decision.late");
  if (decidedMs > nowMs + CLOCK_MS) return refuse("fleet.decision.clock");
  const checked = await checkSshSignature(data, "decide", sealed);
  if (checked.kind === "refused") return refuse("fleet.decision.noSigner");
  if (!(await useUp(data, asked, sealed.text))) return refuse("fleet.decision.again");
  return { ok: true, answer, ...(checked.kind === "signed" ? { by: checked.by } : {}) };
}

function refuse(code: RefusalCode): DecisionCheck {
  return { ok: false, why: displayText(code) };
}

type RefusalCode =
  `fleet.decision.${"unreadable" | "foreign" | "otherVersion" | "changed" | "late" | "clock" | "noSigner" | "again"}`;

/** A seal of one attempt proves nothing about another. */
function getPurpose({ run, attempt }: FleetBinding): string {
  return `decision ${run} ${attempt}`;
}

/** Writes down that a question was answered, before the answer has an effect. False if it was already. */
async function useUp(data: string, { run, attempt, id }: FleetBinding, decision: string): Promise<boolean> {
  const folder = join(data, "fleet", "decisions");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, sha256(JSON.stringify([run, attempt, id])));
  await using file = await open(path, "wx", 0o600).catch(ignoreCodes("EEXIST"));
  if (!file) return false;
  try {
    await file.writeFile(`${decision}\n`);
    await file.sync();
  } catch (error) {
    // On a full disk, the answer has had no effect, and can be given again.
    await rm(path, { force: true });
    throw error;
  }
  return true;
}
