import { resolve } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { escapeInvisible, escapeInvisibleJson, formatQuantity } from "../../core/base/text.ts";
import { LIMIT_NAMES } from "../../core/budget/budget.ts";
import type { FleetEngine, FleetRun, RaisedLimits } from "../../fleet/engine.ts";
import { cleanUpSentRuns } from "../../fleet/forget-run.ts";
import { loadFleetKey } from "../../fleet/key.ts";
import { readKnownPlaces } from "../../fleet/known-places.ts";
import { isTemporalPlace } from "../../fleet/temporal/address.ts";
import { createLineReader } from "../../runs/log/read-log.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { AskedQuestion } from "../../schema/fleet/served.ts";
import { fail } from "../../texts/display-text.ts";
import { renderEvent } from "../display.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { Flags } from "../flags.ts";
import { getBaseFolder, type OtherPlace, parseOtherPlace } from "../options.ts";
import { resolveWorkspaceFolder } from "../place.ts";
import type { Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { convertToAnswer, followRun } from "./follow-run.ts";
import { askYesOrNo, openPlace, setUpPlace } from "./open-place.ts";
import { sendMessage } from "./send-message.ts";

/** A call of `fleet` about a run. */
interface FleetCall {
  readonly flags: Flags;
  readonly around: Surroundings;
  readonly engine: FleetEngine;
  readonly run: string;
  /** The words after the run. */
  readonly words: string;
  readonly folder: string;
}

const DONE: ProgramEnd = { kind: "done" };

const ACTIONS: Readonly<Record<string, (call: FleetCall) => Promise<ProgramEnd>>> = {
  show,
  watch: ({ engine, run, flags, around }) => followRun(engine, run, flags.has("json"), around),
  decide,
  say: async ({ engine, run, words, around }) => {
    if (words === "") throw new UsageError("Say what the run should know: fleet say RUN WORDS.");
    const isTaken = (event: AgentEvent): boolean => event.type === "said" && event.text === words;
    const send = (): Promise<void> => engine.say(run, words, around.signal);
    return sendMessage(engine, run, { send, isTaken, done: "It was said." }, around);
  },
  raise: async ({ engine, run, words, around }) => {
    const limits = parseLimits(words);
    const isTaken = (event: AgentEvent): boolean => event.type === "changed" && event.limits !== undefined;
    const send = (): Promise<void> => engine.raise(run, limits, around.signal);
    return sendMessage(engine, run, { send, isTaken, done: "The limits were sent." }, around);
  },
  stop: async ({ engine, run, around }) => {
    const isTaken = (event: AgentEvent): boolean => event.type === "over";
    const send = (): Promise<void> => engine.stop(run, around.signal);
    return sendMessage(engine, run, { send, isTaken, done: "It was asked to stop." }, around);
  },
  remove: async ({ engine, run, folder, flags, around }) => {
    const question = `Remove ${run} on ${engine.place}? What you haven't fetched is lost.`;
    if (!flags.has("yes") && !(await askYesOrNo(question, around)))
      throw new UsageError(`${run} wasn't removed. To remove it without being asked, add --yes.`);
    await engine.remove(run, await resolveWorkspaceFolder(folder), around.signal);
    around.stdout.write("It was removed.\n");
    return DONE;
  },
  fetch: async ({ engine, run, folder, around }) => {
    await engine.fetch(run, await resolveWorkspaceFolder(folder), around.signal);
    around.stdout.write(`The run is here now. To see what it changed: autogpt runs changes ${run}\n`);
    return DONE;
  },
};

/** `autogpt fleet list|show|watch|…`: runs on the user's other machines. Throws `UsageError`. */
export async function runPlacesCommand(
  flags: Flags,
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
): Promise<ProgramEnd> {
  const [name = "", run = "", ...words] = flags.rest;
  const base = getBaseFolder(env);
  const named = parseOtherPlace(flags, base);
  if (name === "list") return list(flags, named, base, around);
  if (name === "set-up") {
    if (!named || isTemporalPlace(named.name))
      throw new UsageError(
        "Name a machine: fleet set-up --on ssh:HOST. The workers of a fleet are set up on their own machines.",
      );
    const place = await openPlace({ ...named, folder: base }, around);
    await setUpPlace(place, named.isAgreed, around);
    around.stdout.write(`${named.name} is ready.\n`);
    return DONE;
  }
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    throw new UsageError(`"fleet" takes one of these: list, set-up, ${Object.keys(ACTIONS).join(", ")}, run, key.`);
  if (run === "") throw new UsageError(`Name the run: fleet ${name} RUN. "fleet list" lists them.`);
  const where = named?.name ?? (await readKnownPlaces(around.data)).runs[run];
  if (where === undefined)
    throw new UsageError(
      `It isn't known where ${run} is. Name the place with --on ssh:HOST or --on temporal://HOST:7233.`,
    );
  const folder = resolve(base, flags.findValue("workspace") ?? base);
  const { engine, close } = await openPlace({ ...findConfig(flags, base), name: where, folder }, around);
  try {
    return await action({ flags, around, engine, run, words: words.join(" "), folder });
  } finally {
    await close();
  }
}

/** Reads limits such as `usd=5 steps=200`. Throws a `UsageError` for anything else. */
function parseLimits(words: string): RaisedLimits {
  const limits = words.split(/\s+/).map((word) => {
    const [name = "", text = "", ...more] = word.split("=");
    const amount = Number(text);
    if (!LIMIT_NAMES.some((known) => known === name) || text === "" || !(amount >= 0) || more.length > 0)
      throw new UsageError(
        `Say what it may spend in all, as in usd=5 steps=200 (${LIMIT_NAMES.join(", ")}; 0: no limit).`,
      );
    return [name, amount];
  });
  return Object.fromEntries(limits);
}

function findConfig(flags: Flags, base: string): Pick<OtherPlace, "sshConfig" | "repository"> {
  return parseOtherPlace({ ...flags, findValue: (name) => (name === "on" ? "" : flags.findValue(name)) }, base) ?? {};
}

async function list(
  flags: Flags,
  named: OtherPlace | undefined,
  base: string,
  around: Surroundings,
): Promise<ProgramEnd> {
  const { data, stdout, stderr, signal } = around;
  const key = await loadFleetKey(data);
  if (key) await cleanUpSentRuns(data, key, Date.now(), signal);
  const names = named ? [named.name] : (await readKnownPlaces(data)).places;
  if (names.length === 0)
    stderr.write(
      "Nothing was sent to another machine yet. Send a task with --on ssh:HOST or --on temporal://HOST:7233.\n",
    );
  let hasFailed = false;
  for (const name of names) {
    try {
      const { engine, close } = await openPlace({ ...findConfig(flags, base), name, folder: base }, around);
      try {
        for (const run of await engine.list(signal))
          stdout.write(`${flags.has("json") ? escapeInvisibleJson(JSON.stringify(run)) : renderRun(run)}\n`);
      } finally {
        await close();
      }
    } catch (error) {
      hasFailed = true;
      stderr.write(`${escapeInvisible(getErrorMessage(error))}\n`);
    }
  }
  return { kind: hasFailed ? "problem" : "done" };
}

function renderRun({ id, place, state, steps, task }: FleetRun): string {
  return escapeInvisible(`${id}  ${place}  ${STATES[state]}, ${formatQuantity(steps, "step")}  ${task.split("\n")[0]}`);
}

const STATES: Readonly<Record<FleetRun["state"], string>> = {
  working: "working",
  waiting: "waits for your answer",
  ended: "ended",
  silent: "interrupted; watch it to continue it",
};

/** Prints what is there now, without continuing the run. */
async function show({ engine, run, around: { stdout, signal } }: FleetCall): Promise<ProgramEnd> {
  const readLine = createLineReader();
  for (const line of await engine.readLog(run, signal)) {
    const event = readLine(line);
    const text = event ? renderEvent(event) : "";
    if (text !== "") stdout.write(`${text}\n`);
  }
  return DONE;
}

async function decide({ engine, run, words, around }: FleetCall): Promise<ProgramEnd> {
  // An answer is for a question that its user has seen, never for one that comes later.
  const { state } = (await engine.find(run, around.signal)) ?? fail("trouble.runNotFound", { id: run });
  if (state !== "waiting")
    throw new UsageError(`No question of the run waits now. To see what it does: autogpt fleet watch ${run}`);
  const answerWith = async (question: AskedQuestion): Promise<void> => {
    const answer = convertToAnswer(words === "yes" ? "y" : words, question);
    if (!answer) throw new UsageError("Say yes, no, or what to do: fleet decide RUN yes.");
    await engine.decide(question, answer, around.signal);
  };
  return sendMessage(engine, run, { answer: answerWith, done: "The answer was sent." }, around);
}
