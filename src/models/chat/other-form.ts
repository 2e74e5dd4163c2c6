import {
  type CompletionOptions,
  ModelError,
  type ModelRequest,
  type SentBack,
} from "../../core/ports/model.ts";
import { displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import { findOtherApi, isOtherApiComplaint, isStaleReasoningComplaint } from "../http/complaints.ts";
import { quoteServerWords, type Server } from "../http/endpoint.ts";
import type { ServerTrouble } from "../http/error-response.ts";
import { type Api, adaptDialect, type Dialect, isEffort } from "./dialect.ts";
import type { Family } from "./families.ts";

/** Names of the APIs for people. */
const API_LABELS: Readonly<Record<Api, string>> = {
  chat: "chat completions",
  responses: "Responses",
  messages: "Messages",
};

/** A request that was refused. */
interface RefusedRequest {
  readonly request: ModelRequest;
  /** The APIs that it was sent over, with the last error of each. */
  readonly tried: ReadonlyMap<Api, unknown>;
  /** Those that the server has answered over. */
  readonly served: ReadonlySet<Api>;
  /** The largest limit of a reply that the server took. */
  readonly taken: number;
  readonly parts: {
    /** The only API that the user wants, unless it's `auto`. */
    readonly api?: Api | "auto" | undefined;
    readonly family: Pick<Family, "createDialectFor">;
  };
}

/** The form for another try after a refusal; undefined if there is none. */
export function findOtherForm(
  trouble: ServerTrouble,
  dialect: Dialect,
  { request, tried, served, taken, parts: { api = "auto", family } }: RefusedRequest,
): Dialect | undefined {
  const isThere = isKnown(dialect.api, trouble, served);
  if (api !== "auto" && findOtherApi(api, trouble)) return undefined;
  const elsewhere =
    api === "auto" && !isThere ? changeApi(dialect, trouble, request, tried, family) : undefined;
  return elsewhere ?? adaptDialect(dialect, trouble, request, taken);
}

/** True for an API that has answered, whatever a proxy says now. */
function isKnown(api: Api, trouble: ServerTrouble, served: ReadonlySet<Api>): boolean {
  return served.has(api) && !isOtherApiComplaint(api, trouble);
}

/** The same form over another API, which a server named or which most servers have; undefined if that isn't it or was tried. */
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

/** The last error of a request, or the first API's if the server doesn't have the one that it named itself. */
export function chooseRequestError(
  tried: ReadonlyMap<Api, unknown>,
  api: Api,
  trouble: ServerTrouble,
): unknown {
  const [first] = tried.values();
  return api !== "chat" && findOtherApi(api, trouble) ? first : tried.get(api);
}

/** Trouble with an API that the user demands, while a server has the model over another one; undefined for other trouble. */
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
  return new ModelError(
    "setup",
    joinSentences(sentence, quoteServerWords(trouble.complaint.message, server)),
  );
}

/** Requests with only the reasoning that came from this model and isn't known to be refused. */
export function filterOwnReasoning(
  request: ModelRequest,
  model: string,
  stale: WeakSet<SentBack>,
): ModelRequest {
  const messages = request.messages.map((message) => {
    if (message.role !== "assistant" || !message.sentBack) return message;
    const { sentBack, ...rest } = message;
    const isForeign = sentBack.from !== undefined && sentBack.from !== model;
    return isForeign || stale.has(sentBack) ? rest : message;
  });
  return { ...request, messages };
}

/** True if a server refuses sealed reasoning of earlier replies. All that was sent is noted, and left out from then on. */
export function noteStale(
  trouble: ServerTrouble,
  { api }: Dialect,
  { messages }: ModelRequest,
  stale: WeakSet<SentBack>,
): boolean {
  if (api !== "responses" || !isStaleReasoningComplaint(trouble)) return false;
  const sent = messages.flatMap((message) =>
    message.role === "assistant" && message.sentBack?.output && !stale.has(message.sentBack)
      ? [message.sentBack]
      : [],
  );
  for (const one of sent) stale.add(one);
  return sent.length > 0;
}

/** Parts of what people have chosen that other forms leave out. They're said once the server has taken a request without them. */
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

  /** `taken` is the form that the server has taken in the end; absent if it took none. That a schema is lost depends on it. */
  say({ notice }: CompletionOptions, taken?: Dialect): void {
    for (const lost of this.unsaid) notice?.(lost, "warning");
    if (this.noSchema && taken && (taken.schemaForms[0] ?? "json_object") === "json_object")
      notice?.(describeRefusedPart("trouble.schemaGivenUp", this.noSchema, this.server), "warning");
    this.drop();
  }

  /** Forgets them, as the form is again as it was before. */
  drop(): void {
    this.unsaid = [];
    this.noSchema = undefined;
  }
}

/** That a part of a request was refused, with the server's reason. */
export function describeRefusedPart(
  code: "trouble.pictureRefused" | "trouble.reasoningRefused" | "trouble.schemaGivenUp",
  { complaint }: ServerTrouble,
  server: Server,
): Sentence {
  return joinSentences(
    displayText(code, getModelParameters(server)),
    quoteServerWords(complaint.message, server),
  );
}

function getModelParameters({ name, model, steps }: Server) {
  return { server: name, name: model, model: steps.model };
}

/** That another form leaves out a part of what they have chosen, costs more or changes the API, with the server's reason; undefined if not. */
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
  if (before.pictures && !after.pictures)
    return joinSentences(displayText("trouble.picturesNotTaken", about), said);
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

/** The word that stands for an effort in a request. */
function getEffortWord({ efforts, thinkingOff }: Dialect, effort: keyof Dialect["efforts"]): string {
  return effort === "none" && (thinkingOff === "disabled" || thinkingOff === "between_tools")
    ? "none"
    : efforts[effort];
}
