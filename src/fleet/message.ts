import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Queue } from "../core/base/async.ts";
import { tryJson } from "../core/base/json.ts";
import { readFileText } from "../disk/plain-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import type { FleetMessage, HeardMessages } from "../schema/fleet/decisions.ts";
import { isFleetMessage, isHeardMessages } from "../schema/host-validators.ts";
import { type DisplayText, displayText } from "../texts/display-text.ts";
import type { DecisionPlace } from "./decision.ts";
import { type FleetPerson, hasSeal, readSealedText, writeSealedText } from "./sealed-text.ts";
import { checkSshSignature } from "./signatures.ts";

/** Below the folder of the run, with which it's carried, so that a message counts once on all machines together. */
const HEARD_FILE = "heard.json";
/** How long a message counts, so that whoever carries it can't hold it back for later. */
const COUNTS_MS = 3 * 24 * 60 * 60 * 1000;

/** Returns a writer for words and stops of one program, which numbers, seals and signs them. It throws a sentence. */
export function createMessageWriter(person: FleetPerson): (run: string, act: FleetMessage["act"]) => Promise<string> {
  const sender = randomUUID();
  const numbers = new Map<string, number>();
  const turns = new Queue();
  return (run, act) =>
    turns.add(async () => {
      const number = (numbers.get(run) ?? 0) + 1;
      const message: FleetMessage = { version: 1, run, sender, number, sentMs: Date.now(), act };
      const text = await writeSealedText(person, getPurpose(run), message);
      numbers.set(run, number);
      return text;
    });
}

/** The result of checking a message. */
type MessageCheck =
  | { readonly kind: "new"; readonly message: FleetMessage }
  /** It has counted before, which is no trouble. */
  | { readonly kind: "known" }
  | { readonly kind: "refused"; readonly why: DisplayText };

/** The messages to one run that have counted. Whoever carries messages is trusted with nothing. */
export class HeardLedger {
  private readonly home: string;
  private readonly heard: Map<string, readonly number[]>;
  private isSaved = true;

  private constructor(home: string, heard: Map<string, readonly number[]>) {
    this.home = home;
    this.heard = heard;
  }

  /** `home`: the run's own folder. */
  static async open(home: string): Promise<HeardLedger> {
    const found = tryJson(await readFileText(join(home, HEARD_FILE)).catch(() => ""));
    return new HeardLedger(home, new Map(Object.entries(isHeardMessages(found) ? found.heard : {})));
  }

  /** Checks a message. It counts once, and not after a later one of its sender. */
  async check(text: string, run: string, { data, key, nowMs }: DecisionPlace): Promise<MessageCheck> {
    const sealed = readSealedText(text);
    const message = sealed && hasSeal(key, getPurpose(run), sealed) ? tryJson(sealed.text) : undefined;
    if (!sealed || !isFleetMessage(message) || message.run !== run) return refuse("fleet.message.foreign");
    const { kind } = await checkSshSignature(data, "decide", sealed);
    if (kind === "refused") return refuse("fleet.message.noSigner");
    const numbers = this.heard.get(message.sender) ?? [];
    if (numbers.includes(message.number)) return { kind: "known" };
    if (nowMs - message.sentMs >= COUNTS_MS) return refuse("fleet.message.old");
    if (numbers.some((number) => number > message.number)) return refuse("fleet.message.late");
    return { kind: "new", message };
  }

  /** Writes down that a message has counted. */
  async add({ sender, number }: FleetMessage): Promise<void> {
    this.heard.set(sender, [...(this.heard.get(sender) ?? []), number]);
    this.isSaved = false;
    await this.save();
  }

  /** Writes down what couldn't be written before. */
  async save(): Promise<void> {
    if (this.isSaved) return;
    const heard: HeardMessages = { version: 1, heard: Object.fromEntries([...this.heard].map(copyEntry)) };
    await replaceFile(join(this.home, HEARD_FILE), JSON.stringify(heard), { private: true, durable: true });
    this.isSaved = true;
  }
}

function copyEntry([sender, numbers]: readonly [string, readonly number[]]): [string, number[]] {
  return [sender, [...numbers]];
}

function refuse(code: `fleet.message.${"foreign" | "noSigner" | "late" | "old"}`): MessageCheck {
  return { kind: "refused", why: displayText(code) };
}

function getPurpose(run: string): string {
  return `message ${run}`;
}
