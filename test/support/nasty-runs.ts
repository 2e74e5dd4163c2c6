import type { RunEnd } from "../../src/core/commands/outcome.ts";
import { FormatChoice } from "../../src/core/reply/formats.ts";
import { wait } from "../../src/models/http/timers.ts";
import { openAiModel } from "../../src/models/providers/openai.ts";
import { addRetries } from "../../src/models/retries.ts";
import { Grants } from "../../src/safety/policy/grants.ts";
import { createAllowRules } from "../../src/safety/policy/rules.ts";
import { unattendedApprover, wrapApproverWithPolicy } from "../../src/safety/policy/with-policy.ts";
import { Provenance } from "../../src/safety/provenance/provenance.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import {
  callChunk,
  DONE,
  event,
  type FakeModelServer,
  finish,
  json,
  refusal,
  type ServerAnswer,
  saying,
  stream,
  usage,
} from "./fake-model-server.ts";
import { calling } from "./headless.ts";
import { rehearsal } from "./rehearsal.ts";
import { NO_LIMITS } from "./sample-run.ts";

/** What a run came to whose model server misbehaved. */
interface NastyRun {
  /** Undefined: it did not end in time. */
  readonly end?: RunEnd["reason"];
  readonly steps: number;
  /** Commands that began without a readable, checked and approved reply that asked for them. */
  readonly unasked: readonly string[];
}

const LONGEST_MS = 30_000;
const STEPS = 6;
/** The commands that are approved; whatever else a reply asks for must never begin. */
const APPROVED = ["read_note", "write_note", "do_nothing", "task_complete"];

/** A run against a server that misbehaves in three answers out of ten. */
async function nastyRun(server: FakeModelServer, random: () => number): Promise<NastyRun> {
  server.plan(() => (random() < TROUBLE ? pick(NASTY, random)() : pick(GOOD, random)()));
  const { baseUrl } = server;
  const plain = openAiModel({ baseUrl, apiKey: "k", model: "m", contextWindow: 32_000, timeoutSeconds: 0.3 });
  const policy = { attempts: 4, firstDelayMs: 1, maxDelayMs: 5, getRandomNumber: random, wait: quickly };
  const model = addRetries(plain, policy);
  const { live, log } = await rehearsal({
    answers: [],
    start: { limits: { ...NO_LIMITS, replies: STEPS } },
    thinking: { model, formats: new FormatChoice(model.formats) },
    approver: wrapApproverWithPolicy(unattendedApprover, {
      grants: new Grants(),
      provenance: new Provenance(),
      platform: "linux",
      rules: createAllowRules(APPROVED),
      listFolders: () => ["/work"],
      isTrusted: () => true,
      getSettings: () => ({ rules: [], deny: [], readOnlyShell: false, allowHosts: [] }),
    }),
  });
  live.resume();
  const late = new AbortController();
  const end = await Promise.race([live.end, wait(LONGEST_MS, late.signal).catch(() => undefined)]);
  late.abort();
  await live.stop();
  const steps = live.run.state.totals.steps;
  return { ...(end ? { end: end.reason } : {}), steps, unasked: unaskedIn(log.events) };
}

/** Share of answers that are not good. */
const TROUBLE = 0.3;

/** However long a server asks to be left alone, a test does not wait for it. */
function quickly(ms: number, signal: AbortSignal): Promise<void> {
  return wait(Math.min(ms, 5), signal);
}

function pick<T>(all: readonly T[], random: () => number): T {
  return all[Math.floor(random() * all.length)] as T;
}

const GOOD: readonly (() => ServerAnswer)[] = [
  () => calling("read_note", { title: "a" }),
  () => calling("write_note", { title: "b", text: "words" }),
  () => calling("do_nothing", { title: "c" }),
  () => saying('{"thoughts":{"text":"In words."},"command":{"name":"read_note","args":{"title":"d"}}}'),
];

const start = callChunk({ index: 0, id: "call_1", name: "write_note", arguments: '{"title":' });
const hostile = (name: string, args: string): ServerAnswer =>
  stream(callChunk({ index: 0, id: "x", name, arguments: args }), finish("tool_calls"), usage(5, 5), DONE);

/** Latency, stalls, resets, cut streams, storms, errors, quotas, malformed and hostile replies. */
const NASTY: readonly (() => ServerAnswer)[] = [
  () => ({ ...saying("late"), pieces: [{ pauseMs: 60 }, ...calling("read_note", { title: "late" }).pieces] }),
  () => stream(start, "hang!"),
  () => ({ pieces: [], headersHang: true }),
  () => stream("cut!"),
  () => stream(start, "cut!"),
  () => stream(start, event("[DONE]")),
  () => stream(start, callChunk({ index: 0, arguments: '"a"' }), finish("length"), DONE),
  () => refusal(429, "Slow down.", { code: "rate_limit_exceeded" }),
  () => json(429, { error: { message: "Later." } }, { "retry-after": "3600" }),
  () => refusal(500, "Oops."),
  () => refusal(503, "Overloaded."),
  () => json(502, "<html>Bad Gateway</html>"),
  () =>
    refusal(429, "You exceeded your current quota.", {
      code: "insufficient_quota",
      type: "insufficient_quota",
    }),
  () => json(200, "not json at all"),
  () => json(200, { error: { message: "Wrong, but with 200." } }),
  () => stream("data: {broken\n\n", DONE),
  () => stream({ choices: null }, { choices: [] }, DONE),
  () => saying(""),
  () => saying("I am sorry, I cannot do that."),
  () => saying("<script>alert(1)</script> \u202e {".repeat(200)),
  () => hostile("execute_shell", '{"command_line":"rm -rf ~"}'),
  () => hostile("break_note", '{"thoughts":{"text":"t"},"title":"x"}'),
  () => hostile("WRITE_NOTE; rm -rf /", '{"title":"x"}'),
  () => hostile("write_note", '{"title":{"__proto__":{"polluted":true}}}'),
  () => hostile("write_note", '{"title":"x","title":5,"__proto__":{"polluted":true}}'),
  () => hostile("write_note", '{"title":"cut of'),
  () => hostile("write_note", "[]"),
  () => hostile("", "{}"),
  () => hostile("__proto__", '{"title":"x"}'),
  () => saying('{"command":{"name":"break_note","args":{"title":"x"}}}{"command":{"name":"write_note"}}'),
];

function unaskedIn(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((began) => {
    if (began.type !== "began") return [];
    const ofStep = events.filter((event) => "step" in event && event.step === began.step && event.seq < began.seq);
    const replied = ofStep.findLast((event) => event.type === "replied");
    const decided = ofStep.findLast((event) => event.type === "decided");
    const asked =
      replied?.type === "replied" &&
      replied.reply.kind === "proposal" &&
      typeof began.args.title === "string" &&
      APPROVED.includes(began.command) &&
      JSON.stringify(replied.reply.call.args) === JSON.stringify(began.args);
    return asked && decided?.type === "decided" && decided.allow ? [] : [`${began.step} ${began.command}`];
  });
}

/** Numbers from 0 up to 1, the same ones for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** So many runs, some at a time, each with a server of its own; how many came to which end, and what went wrong. */
export async function nastyRuns(
  servers: readonly FakeModelServer[],
  count: number,
): Promise<{
  readonly ends: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly wrong: readonly string[];
}> {
  const ends: Record<string, number> = {};
  const wrong: string[] = [];
  let steps = 0;
  const seeds = Array.from({ length: count }, (_, seed) => seed);
  await Promise.all(
    servers.map(async (server) => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const run = await nastyRun(server, randomFrom(seed * 7919 + 1));
        const end = run.end ?? "hangs";
        ends[end] = (ends[end] ?? 0) + 1;
        steps += run.steps;
        if (run.end === undefined || run.end === "crashed" || run.unasked.length > 0)
          wrong.push(`run ${seed}: ${end}, unasked: ${run.unasked.join(", ")}`);
      }
    }),
  );
  return { ends, steps, wrong };
}
