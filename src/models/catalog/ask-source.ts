import { assertNever } from "../../core/base/errors.ts";
import {
  describeModelSource,
  listSourceSteps,
  type ModelSource,
  type SourceState,
  type SourceStep,
} from "../../core/ports/model-source.ts";
import { type DisplayText, displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import {
  explainBaseUrlProblem,
  getHost,
  IN_EDITOR,
  isLocal,
  isLoopback,
  isSendable,
  type NextSteps,
  normalizeBaseUrl,
  quoteServerWords,
} from "../http/endpoint.ts";
import { MOVED, readServerTrouble, WEB_PAGE } from "../http/error-response.ts";
import { classifyConnectionError } from "../http/errors.ts";
import { StalledError } from "../http/timers.ts";
import { fetchModels, type ModelListRequest, type OfferedModel } from "./list-models.ts";

/** A server's answer to a request for its models. */
export interface SourceAnswer {
  readonly address: string;
  /** Name for people. */
  readonly name: string;
  readonly state: SourceState;
  readonly models: readonly OfferedModel[];
}

/** Asks a server for its models. Errors become a state; only the caller's own abort is thrown. */
export async function askSource(listing: ModelListRequest, signal: AbortSignal): Promise<SourceAnswer> {
  signal.throwIfAborted();
  const address = normalizeBaseUrl(listing.baseUrl);
  const apiKey = listing.apiKey.trim();
  const asked = { address, name: getHostAndPort(address) };
  const before = findSourceProblem(address, apiKey);
  if (before) return { ...asked, state: before, models: [] };
  try {
    const models = await fetchModels({ ...listing, baseUrl: address, apiKey }, signal);
    return { ...asked, state: { kind: "connected", models: models.length }, models };
  } catch (error) {
    signal.throwIfAborted();
    const state = createFailedState(error, apiKey, listing.timeoutSeconds);
    const remote = isLoopback(address) ? listing.steps?.remote : undefined;
    const isElsewhere = state.kind === "unreachable" && state.why === "refused" && remote !== undefined;
    return { ...asked, state: isElsewhere ? { ...state, remote } : state, models: [] };
  }
}

/** Why a server can't be asked; undefined when it can. */
export function findSourceProblem(address: string, apiKey: string): SourceState | undefined {
  if (explainBaseUrlProblem(address, IN_EDITOR) !== undefined) return { kind: "badAddress" };
  if (apiKey === "" && !isLocal(address)) return { kind: "noKey" };
  return isSendable(apiKey) ? undefined : { kind: "brokenKey" };
}

/** The state to show after a failed request. */
export function createFailedState(error: unknown, apiKey: string, seconds: number): SourceState {
  if (error instanceof StalledError) return { kind: "silent", seconds };
  const trouble = readServerTrouble(error);
  if (!trouble) return { kind: "unreachable", why: classifyConnectionError(error).why };
  const { status = 200, complaint } = trouble;
  const said = quoteServerWords(complaint.message, { apiKey }) ?? "";
  if (complaint.code === MOVED) return { kind: "moved", to: complaint.message };
  if (status === 401) return apiKey === "" ? { kind: "noKey" } : { kind: "rejected", status, said };
  if (complaint.code === WEB_PAGE && status < 500) return { kind: "noApi" };
  if (NO_LIST.has(status)) return { kind: "unlisted", status };
  return { kind: "failed", status, said };
}

/** Codes of servers without a list. A key may allow chats but not the list (403). */
const NO_LIST: ReadonlySet<number> = new Set([403, 404, 405, 501]);

/** Why a source yields no model and what to do next, as a message that names its actions. */
export function describeSource(source: ModelSource, steps: NextSteps = IN_EDITOR): Sentence {
  const [step] = listSourceSteps(source);
  return joinSentences(describeModelSource(source), step && describeNextStep(step, steps));
}

function describeNextStep(step: SourceStep, steps: NextSteps): DisplayText | undefined {
  switch (step) {
    case "setApiKey":
      return displayText("trouble.setKeyWith", { key: steps.key });
    case "useServer":
      return displayText("trouble.correctAddress", { address: steps.address });
    case "selectModel":
      return displayText("trouble.chooseWith", { model: steps.model });
    case "openSettings":
      return undefined;
    default:
      return assertNever(step);
  }
}

/** The host of an address, with its port if it has one. */
export function getHostAndPort(address: string): string {
  return URL.parse(address)?.host || getHost(address) || address;
}
