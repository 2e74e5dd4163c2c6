import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import type { ModelDelta } from "../../core/ports/model.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { HostLog } from "../../runtime/host.ts";
import type { LiveReply, ServedLine } from "../../schema/fleet/served.ts";
import { isLiveReply } from "../../schema/host-validators.ts";
import { getServedHome } from "./served-runs.ts";

/** How often a reply is written down while it grows, in ms. */
const WRITE_MS = 150;
const MOST_BYTES = 4_000_000;

function getReplyFile(data: string, run: string): string {
  return join(getServedHome(data, run), "reply.json");
}

/** Writes down the reply that a run gets now, for those who follow it. Nothing depends on it: the log has each whole reply. */
export function createReplyLog(data: string, run: string): Pick<HostLog, "reportDelta" | "reportRestart"> {
  let current: LiveReply = { step: 0, parts: [] };
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    void replaceFile(getReplyFile(data, run), JSON.stringify(current), { private: true }).catch(() => undefined);
  };
  return {
    reportDelta: (of, step, delta) => {
      if (of !== run) return;
      current = { step, parts: addPart(current.step === step ? current.parts : [], delta) };
      timer ??= setTimeout(write, WRITE_MS).unref();
    },
    reportRestart: (of, step) => {
      if (of === run) current = { step, parts: [] };
    },
  };
}

function addPart(parts: LiveReply["parts"], delta: ModelDelta): LiveReply["parts"] {
  const last = parts.at(-1);
  if (last?.kind !== delta.kind) return [...parts, { ...delta }];
  return [...parts.slice(0, -1), { ...last, text: last.text + delta.text }];
}

/** Finds the pieces of replies that weren't read before. */
export function createReplyReader(data: string, run: string): () => Promise<readonly ServedLine[]> {
  let known: LiveReply = { step: 0, parts: [] };
  return async () => {
    const found = tryJson(await readFileText(getReplyFile(data, run), MOST_BYTES).catch(() => ""));
    if (!isLiveReply(found)) return [];
    const { step, parts } = found;
    const before = step === known.step ? known.parts : [];
    // One that was requested again is shown once it's whole.
    if (before.some(({ text }, at) => !parts[at]?.text.startsWith(text))) return [];
    known = found;
    return parts.flatMap((part, at) => {
      const text = part.text.slice(before[at]?.text.length ?? 0);
      return text === "" ? [] : [{ type: "delta" as const, step, ...part, text }];
    });
  };
}
