import { hasSucceeded } from "../../core/base/async.ts";
import { describeModelSource, quoteServer, type SourceState } from "../../core/ports/model-source.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { createAzureClient, openAiClient } from "../http/client.ts";
import { isUnknownModelComplaint } from "../http/complaints.ts";
import { extractAzureEndpoint, normalizeBaseUrl } from "../http/endpoint.ts";
import { readServerTrouble } from "../http/error-response.ts";
import { fetchFromServer } from "../http/server-fetch.ts";
import { watchSilence } from "../http/timers.ts";
import { askSource, createFailedState, findSourceProblem, getHostAndPort, type SourceAnswer } from "./ask-source.ts";
import { fetchModels, type OfferedModel } from "./list-models.ts";

/** A key and the service to check it with. */
export type KeyToCheck = { readonly key: string; readonly address: string } & (
  | {
      readonly service: "openai";
      /** The model for completing one token if a list proves nothing; absent: a model that the server lists. */
      readonly model?: string;
    }
  | { readonly service: "azure"; readonly apiVersion: string }
  | { readonly service: "stableDiffusion" }
  /** A service without a cheap check. */
  | { readonly service: "other" }
);

/** The result of checking a key. */
export interface KeyCheck {
  /** Name of the service for people. */
  readonly name: string;
  /** "unknown": the check says nothing about the key; `state` holds the reason, if any. */
  readonly verdict: "accepted" | "rejected" | "unknown";
  readonly state?: SourceState;
}

/** Time limit for each request of a check. */
const CHECK_SECONDS = 10;

/** Checks a key with its own service only. Throws only the caller's own abort. */
export async function checkKey(checked: KeyToCheck, signal: AbortSignal, seconds = CHECK_SECONDS): Promise<KeyCheck> {
  const address =
    checked.service === "azure" ? extractAzureEndpoint(checked.address) : normalizeBaseUrl(checked.address);
  const key = checked.key.trim();
  const name = getHostAndPort(address);
  switch (checked.service) {
    case "other":
      return { name, verdict: "unknown" };
    case "openai":
      return checkOpenAi({ address, key, seconds, model: checked.model }, signal);
    case "azure":
      return checkByRequest({ name, key, seconds }, signal, async (inTime) => {
        const connection = { endpoint: address, apiKey: key, apiVersion: checked.apiVersion, deployment: "" };
        await (await createAzureClient(connection, "json")).models.list({ signal: inTime });
      });
    case "stableDiffusion":
      return checkByRequest({ name, key, seconds }, signal, (inTime) =>
        checkStableDiffusionLogin(address, key, inTime),
      );
  }
}

interface Probe {
  readonly address: string;
  readonly key: string;
  readonly seconds: number;
  readonly model: string | undefined;
}

/** Checks a key by listing models if that requires a key, and by completing one token otherwise. */
async function checkOpenAi(probe: Probe, signal: AbortSignal): Promise<KeyCheck> {
  const { address, key, seconds, model } = probe;
  const listing = { baseUrl: address, apiKey: key, prices: {}, timeoutSeconds: seconds };
  const [asked, isPublic] = await Promise.all([askSource(listing, signal), isModelListPublic(probe, signal)]);
  const { name, state } = asked;
  if (state.kind === "connected" && !isPublic) return { name, verdict: "accepted", state };
  if (!["connected", "unlisted", "failed"].includes(state.kind)) return { name, ...judgeKey(state) };
  const chosen = model || findCheapestModel(asked.models)?.name;
  if (!chosen) return { name, verdict: "unknown", state };
  return completeOne(asked, { ...probe, model: chosen }, signal);
}

/** True if the server lists its models without a key, so that its list says nothing about one. */
async function isModelListPublic({ address, seconds }: Probe, signal: AbortSignal): Promise<boolean> {
  if (findSourceProblem(address, "any") !== undefined) return false;
  const listing = { baseUrl: address, apiKey: "", prices: {}, timeoutSeconds: seconds };
  return hasSucceeded(fetchModels(listing, signal));
}

async function completeOne(
  { address, name, state }: SourceAnswer,
  { key, seconds, model = "" }: Probe,
  signal: AbortSignal,
): Promise<KeyCheck> {
  using watch = watchSilence(signal, seconds, () => undefined);
  try {
    const client = await openAiClient({ baseUrl: address, apiKey: key }, "json");
    const request = { model, messages: [{ role: "user" as const, content: "Hi" }], max_tokens: 1 };
    await watch.race(client.chat.completions.create(request, { signal: watch.signal }));
    return { name, verdict: "accepted", state };
  } catch (error) {
    signal.throwIfAborted();
    const trouble = readServerTrouble(error);
    const after = createFailedState(error, key, seconds);
    // A complaint about the request itself comes only after the key was accepted.
    if (trouble && (isUnknownModelComplaint(trouble) || KNOWN.has(trouble.status ?? 0)))
      return { name, verdict: "accepted", state };
    return { name, ...judgeKey(after.kind === "unlisted" ? state : after) };
  }
}

/** Status codes for requests with an accepted key: a bad request, no credit, too many requests. */
const KNOWN: ReadonlySet<number> = new Set([400, 402, 422, 429]);

/** Checks a key with one request. */
async function checkByRequest(
  { name, key, seconds }: Pick<KeyCheck & Probe, "name" | "key" | "seconds">,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<void>,
): Promise<KeyCheck> {
  using watch = watchSilence(signal, seconds, () => undefined);
  try {
    await watch.race(ask(watch.signal));
    return { name, verdict: "accepted" };
  } catch (error) {
    signal.throwIfAborted();
    return { name, ...judgeKey(createFailedState(error, key, seconds)) };
  }
}

async function checkStableDiffusionLogin(address: string, login: string, signal: AbortSignal): Promise<void> {
  const authorization = `Basic ${Buffer.from(login).toString("base64")}`;
  const response = await fetchFromServer(`${address}/sdapi/v1/sd-models`, {
    headers: { authorization },
    signal,
  });
  const { status, headers } = response;
  if (!response.ok) throw Object.assign(new Error(), { status, headers, error: Object(await response.json()).error });
}

function judgeKey(state: SourceState): Pick<KeyCheck, "verdict" | "state"> {
  const isRejected = state.kind === "rejected" || state.kind === "brokenKey";
  return { verdict: isRejected ? "rejected" : "unknown", state };
}

function findCheapestModel(models: readonly OfferedModel[]): OfferedModel | undefined {
  const price = (model: OfferedModel): number => model.price?.output ?? Number.POSITIVE_INFINITY;
  return models.toSorted((a, b) => price(a) - price(b))[0];
}

/** Whether to save a checked key, and the message about it. */
export interface KeyAnswer {
  readonly saves: boolean;
  readonly kind: "info" | "warning" | "error";
  readonly text: DisplayText;
}

/** `check` is absent if it was canceled. A rejected key never replaces another key. */
export function createKeyAnswer(check: KeyCheck | undefined, hasOther: boolean): KeyAnswer {
  if (!check) return { saves: true, kind: "info", text: displayText("models.keyUnchecked") };
  const { name, verdict, state } = check;
  switch (verdict) {
    case "accepted":
      return { saves: true, kind: "info", text: describeAcceptedKey(name, state) };
    case "rejected":
      return { saves: !hasOther, kind: "error", text: describeRejectedKey(name, state, hasOther) };
    case "unknown":
      return state
        ? {
            saves: true,
            kind: "warning",
            text: displayText("models.keySavedBut", { trouble: describeModelSource({ name, state }) }),
          }
        : { saves: true, kind: "info", text: displayText("models.keySaved") };
  }
}

function describeAcceptedKey(name: string, state: SourceState | undefined): DisplayText {
  if (state?.kind !== "connected") return displayText("models.keyAccepted");
  return state.models === 0
    ? displayText("models.keyAcceptedEmpty", { name })
    : displayText("models.keyAcceptedModels", { count: state.models });
}

function describeRejectedKey(name: string, state: SourceState | undefined, hasOther: boolean): DisplayText {
  const rejected = state?.kind === "rejected" ? state : undefined;
  const parameters = {
    name,
    status: rejected ? ` (${rejected.status})` : "",
    said: quoteServer(rejected ?? { said: "" }),
  };
  return hasOther ? displayText("models.keyRejectedKept", parameters) : displayText("models.keyRejected", parameters);
}
