import { type CompletionOptions, ModelError, type ModelRequest, type SentBack } from "../../core/ports/model.ts";
import { displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import { findOtherApi, isOtherApiComplaint, isStaleReasoningComplaint } from "../http/complaints.ts";
import { quoteServerWords, type Server } from "../http/endpoint.ts";
import type { ServerTrouble } from "../http/error-response.ts";
import { type Api, adaptDialect, type Dialect, isEffort } from "./dialect.ts";
import type { Family } from "./families.ts";

/** Display names of the APIs. */
const API_LABELS: Readonly<Record<Api, string>> = {
  chat: "chat completions",
  responses: "Responses",
  messages: "Messages",
};

/** A refused request. */
interface RefusedRequest {
  readonly request: ModelRequest;
  /** The APIs that were tried, each with its last error. */
  readonly tried: ReadonlyMap<Api, unknown>;
  /** The APIs over which the server has answered. */
  readonly served: ReadonlySet<Api>;
  /** The largest reply limit that the server accepted. */
  readonly taken: number;
  readonly parts: {
    /** The only API that the user wants, unless it's `auto`. */
    readonly api?: Api | "auto" | undefined;
    readonly family: Pick<Family, "createDialectFor">;
  };
}

/** The form for another attempt after a refusal; undefined if there is none. */
export function findOtherForm(
  trouble: ServerTrouble,
  dialect: Dialect,
  { request, tried, served, taken, parts: { api = "auto", family } }: RefusedRequest,
): Dialect | undefined {
  const isThere = isKnown(dialect.api, trouble, served);
  if (api !== "auto" && findOtherApi(api, trouble)) return undefined;
  const elsewhere = api === "auto" && !isThere ? changeApi(dialect, trouble, request, tried, family) : undefined;
  return elsewhere ?? adaptDialect(dialect, trouble, request, taken);
}

/** True for an API that has answered before, regardless of a proxy's errors now. */
function isKnown(api: Api, trouble: ServerTrouble, served: ReadonlySet<Api>): boolean {
  return served.has(api) && !isOtherApiComplaint(api, trouble);
}

/**
 * The same form over the API that the server named, or that most servers have; undefined if another API isn't the solution or was tried.
 */
function changeApi(
  dialect: Dialect,
  trouble: ServerTrouble,
  { reasoningEffort }: ModelRequest,
  tried: ReadonlyMap<Api, unknown>,
  family: Pick<Family, "createDialectFor">,
): Dialect | undefined {
  const api = findOtherApi(dialect.api, trouble);
  if (api === undefined || tried.has(api)) return undefined;
  const { pictures, order } = dialect;
  const next = { ...family.createDialectFor(api), pictures, order };
  // A model that is unknown by its name reasons if its server wants it over Responses.
  const mayReason = api === "responses" && isEffort(reasoningEffort) && next.reasoning === "none";
  return mayReason ? { ...next, reasoning: "reasoning_effort", sealedReasoning: true } : next;
}

/** The last error of a request, or the first API's error if the server lacks the API that it suggested. */
export function chooseRequestError(tried: ReadonlyMap<Api, unknown>, api: Api, trouble: ServerTrouble): unknown {
  const [first] = tried.values();
  return api !== "chat" && findOtherApi(api, trouble) ? first : tried.get(api);
}

/** An error for the API that the user requires if the server has the model only over another one; undefined for other trouble. */
export function findNotServedError(
  trouble: ServerTrouble | undefined,
  api: Api | "auto" | undefined,
  server: Server,
  served: ReadonlySet<Api>,
): ModelError | undefined {
  if (!trouble || api === undefined || api === "auto" || isKnown(api, trouble, served)) return undefined;
  const other = findOtherApi(api, trouble);
  if (other === undefined) return undefined;
  const { name, model, steps } = server;
  const about = { server: name, name: model, api: API_LABELS[api], setting: steps.api };
  const sentence = displayText("trouble.apiNotServed", { ...about, other: API_LABELS[other], value: other });
  return new ModelError("setup", joinSentences(sentence, quoteServerWords(trouble.complaint.message, server)));
}

/** Keeps only the reasoning in requests that came from this model and wasn't refused. */
export function filterOwnReasoning(request: ModelRequest, model: string, stale: WeakSet<SentBack>): ModelRequest {
  const messages = request.messages.map((message) => {
    if (message.role !== "assistant" || !message.sentBack) return message;
    const { sentBack, ...rest } = message;
    const isForeign = sentBack.from !== undefined && sentBack.from !== model;
    return isForeign || stale.has(sentBack) ? rest : message;
  });
  return { ...request, messages };
}

/** True if a server refuses sealed reasoning of earlier replies. Records all sent reasoning, which is left out from then on. */
export function noteStale(
  trouble: ServerTrouble,
  { api }: Dialect,
  { messages }: ModelRequest,
  stale: WeakSet<SentBack>,
): boolean {
  if (api !== "responses" || !isStaleReasoningComplaint(trouble)) return false;
  const sent = messages.flatMap((message) =>
    message.role === "assistant" && message.sentBack?.output && !stale.has(message.sentBack) ? [message.sentBack] : [],
  );
  for (const one of sent) stale.add(one);
  return sent.length > 0;
}

/** User's choices that other forms leave out. The user is notified once the server has accepted a request without them. */
export class Losses {
  private readonly server: Server;
  private unsaid: readonly Sentence[] = [];
  /** The first refusal of a schema. */
  private noSchema: ServerTrouble | undefined;

  constructor(server: Server) {
    this.server = server;
  }

  add(trouble: ServerTrouble, [before, after]: readonly [Dialect, Dialect], request: ModelRequest): void {
    const lost = describeLoss(before, after, trouble, request, this.server);
    if (lost !== undefined) this.unsaid = [...this.unsaid, lost];
    if (before.schemaForms[0] !== after.schemaForms[0]) this.noSchema ??= trouble;
  }

  /** Notifies the user. `taken`: the form that the server finally accepted, which decides whether a schema was lost; absent: none. */
  say({ notice }: CompletionOptions, taken?: Dialect): void {
    for (const lost of this.unsaid) notice?.(lost, "warning");
    if (this.noSchema && taken && (taken.schemaForms[0] ?? "json_object") === "json_object")
      notice?.(describeRefusedPart("trouble.schemaGivenUp", this.noSchema, this.server), "warning");
    this.drop();
  }

  /** Discards the losses, because the form is restored. */
  drop(): void {
    this.unsaid = [];
    this.noSchema = undefined;
  }
}

/** A sentence that a part of a request was refused, with the server's reason. */
export function describeRefusedPart(
  code: "trouble.pictureRefused" | "trouble.reasoningRefused" | "trouble.schemaGivenUp",
  { complaint }: ServerTrouble,
  server: Server,
): Sentence {
  return joinSentences(displayText(code, getModelParameters(server)), quoteServerWords(complaint.message, server));
}

function getModelParameters({ name, model, steps }: Server) {
  return { server: name, name: model, model: steps.model };
}

/** A sentence that another form drops a choice of the user's, costs more or changes the API, with the server's reason; undefined if not. */
function describeLoss(
  before: Dialect,
  after: Dialect,
  trouble: ServerTrouble,
  { reasoningEffort: effort }: ModelRequest,
  server: Server,
): Sentence | undefined {
  const { steps } = server;
  const about = getModelParameters(server);
  const said = quoteServerWords(trouble.complaint.message, server);
  if (before.api !== after.api) {
    const apis = { api: API_LABELS[before.api], other: API_LABELS[after.api], setting: steps.api };
    return joinSentences(displayText("trouble.apiChanged", { ...about, ...apis }), said);
  }
  if (before.pictures && !after.pictures) return joinSentences(displayText("trouble.picturesNotTaken", about), said);
  // Over Responses, marks only help a cache that the service keeps anyway.
  if (before.cacheMarks && !after.cacheMarks && before.api !== "responses")
    return joinSentences(displayText("trouble.cacheGivenUp", about), said);
  if (before.cacheHours && !after.cacheHours)
    return joinSentences(displayText("trouble.notCachedForHour", about), said);
  const [took, takes] = [before, after].map(({ sendsBack }) => sendsBack.includes("thinking_blocks"));
  const isThoughtLost = took && !takes;
  // With a budget, a model thinks between calls only if its thinking goes back.
  const isEffortLost = isThoughtLost && after.reasoning === "thinking.budget_tokens";
  if (isThoughtLost && !(isEffortLost && isEffort(effort)))
    return describeRefusedPart("trouble.reasoningRefused", trouble, server);
  if (!isEffort(effort)) return undefined;
  const setting = steps.effort;
  if (isEffortLost || (before.reasoning !== "none" && after.reasoning === "none"))
    return joinSentences(displayText("trouble.effortGivenUp", { ...about, setting }), said);
  const [word, used] = [getEffortWord(before, effort), getEffortWord(after, effort)];
  if (word === used) return undefined;
  const changed = { ...about, setting, effort, used };
  return joinSentences(displayText("trouble.effortChanged", changed), said);
}

/** The name of an effort in a request. */
function getEffortWord({ efforts, thinkingOff }: Dialect, effort: keyof Dialect["efforts"]): string {
  return effort === "none" && (thinkingOff === "disabled" || thinkingOff === "between_tools")
    ? "none"
    : efforts[effort];
}
