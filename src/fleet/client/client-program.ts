// The client of fleets on Temporal, which is large: a process of its own that works for one window, and ends with it.
import { fail, getErrorText } from "../../texts/display-text.ts";
import type { FleetEngine, FleetEvent } from "../engine.ts";
import { loadFleetKey } from "../key.ts";
import { openTemporalFleet } from "../temporal/temporal-engine.ts";
import type { ClientFleet, ClientReply, ClientRequest } from "./messages.ts";

const engines = new Map<string, Promise<FleetEngine>>();
const running = new Map<number, AbortController>();

function reply(message: ClientReply): void {
  process.send?.(message);
}

/** The engine for a fleet. One that couldn't be opened is opened again by the next call. */
function openEngine(fleet: ClientFleet): Promise<FleetEngine> {
  const name = JSON.stringify(fleet);
  const known = engines.get(name);
  if (known) return known;
  const opening = open(fleet);
  engines.set(name, opening);
  opening.catch(() => engines.delete(name));
  return opening;
}

async function open({ apiKey, ...fleet }: ClientFleet): Promise<FleetEngine> {
  const key = (await loadFleetKey(fleet.data)) ?? fail("fleet.noKey");
  const env = apiKey === undefined ? process.env : { ...process.env, AUTOGPT_TEMPORAL_API_KEY: apiKey };
  return (await openTemporalFleet({ ...fleet, key }, env)).engine;
}

async function answer(request: ClientRequest): Promise<void> {
  const { id } = request;
  if ("abort" in request) return running.get(id)?.abort();
  const call = new AbortController();
  running.set(id, call);
  try {
    const engine = await openEngine(request.fleet);
    const act = Reflect.get(engine, request.method) as (this: FleetEngine, ...args: readonly unknown[]) => unknown;
    const given = act.call(engine, ...request.args, call.signal);
    if (request.method !== "watch") return reply({ id, isAnswered: true, value: await given });
    for await (const event of given as AsyncIterable<FleetEvent>) reply({ id, event });
    reply({ id, isAnswered: true });
  } catch (error) {
    reply({ id, error: getErrorText(error) });
  } finally {
    running.delete(id);
  }
}

process.on("message", (request: ClientRequest) => void answer(request));
process.on("disconnect", () => process.exit());
