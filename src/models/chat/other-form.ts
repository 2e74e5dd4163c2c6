import {
  type CompletionOptions,
  ModelError,
  type ModelRequest,
  type SentBack,
} from "../../core/ports/model.ts";
import { displayText, type Sentence, sentences } from "../../texts/display-text.ts";
import { apiInstead, namesOtherApi, saysStaleReasoning } from "../http/complaints.ts";
import { quotedWords, type Server } from "../http/endpoint.ts";
import type { ServerTrouble } from "../http/error-response.ts";
import { type Api, adaptedDialect, type Dialect, isEffort } from "./dialect.ts";
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
    readonly family: Pick<Family, "over">;
  };
}

/** The form for another try after a refusal; undefined if there is none. */
export function otherForm(
  trouble: ServerTrouble,
  dialect: Dialect,
  { request, tried, served, taken, parts: { api = "auto", family } }: RefusedRequest,
): Dialect | undefined {
  const isThere = isKnown(dialect.api, trouble, served);
  if (api !== "auto" && apiInstead(api, trouble)) return undefined;
  const elsewhere =
    api === "auto" && !isThere ? withOtherApi(dialect, trouble, request, tried, family) : undefined;
  return elsewhere ?? adaptedDialect(dialect, trouble, request, taken);
}

/** True for an API that has answered, whatever a proxy says now. */
function isKnown(api: Api, trouble: ServerTrouble, served: ReadonlySet<Api>): boolean {
  return served.has(api) && !namesOtherApi(api, trouble);
}

/** The same form over another API, which a server named or which most servers have; undefined if that isn't it or was tried. */
function withOtherApi(
  dialect: Dialect,
  trouble: ServerTrouble,
  { reasoningEffort }: ModelRequest,
  tried: ReadonlyMap<Api, unknown>,
  family: Pick<Family, "over">,
): Dialect | undefined {
  const api = apiInstead(dialect.api, trouble);
  if (api === undefined || tried.has(api)) return undefined;
  const { pictures, order } = dialect;
  const next = { ...family.over(api), pictures, order };
  // A model that is unknown by its name reasons if its server wants it over Responses.
  const mayReason = api === "responses" && isEffort(reasoningEffort) && next.reasoning === "none";
  return mayReason ? { ...next, reasoning: "reasoning_effort", sealedReasoning: true } : next;
}

/** The last error of a request, or the first API's if the server doesn't have the one that it named itself. */
export function errorOf(tried: ReadonlyMap<Api, unknown>, api: Api, trouble: ServerTrouble): unknown {
  const [first] = tried.values();
  return api !== "chat" && apiInstead(api, trouble) ? first : tried.get(api);
}

/** Trouble with an API that the user demands, while a server has the model over another one; undefined for other trouble. */
export function notServed(
  trouble: ServerTrouble | undefined,
  api: Api | "auto" | undefined,
  server: Server,
  served: ReadonlySet<Api>,
): ModelError | undefined {
  if (!trouble || api === undefined || api === "auto" || isKnown(api, trouble, served)) return undefined;
  const other = apiInstead(api, trouble);
  if (other === undefined) return undefined;
  const { name, model, steps } = server;
  const about = { server: name, name: model, api: API_LABELS[api], setting: steps.api };
  const sentence = displayText("trouble.apiNotServed", { ...about, other: API_LABELS[other], value: other });
  return new ModelError("setup", sentences(sentence, quotedWords(trouble.complaint.message, server)));
}

/** Requests with only the reasoning that came from this model and isn't known to be refused. */
export function withOwnReasoning(
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
  if (api !== "responses" || !saysStaleReasoning(trouble)) return false;
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
    const lost = lossSentence(before, after, trouble, request, this.server);
    if (lost !== undefined) this.unsaid = [...this.unsaid, lost];
    if (before.schemaForms[0] !== after.schemaForms[0]) this.noSchema ??= trouble;
  }

  /** `taken` is the form that the server has taken in the end; absent if it took none. That a schema is lost depends on it. */
  say({ notice }: CompletionOptions, taken?: Dialect): void {
    for (const lost of this.unsaid) notice?.(lost, "warning");
    if (this.noSchema && taken && (taken.schemaForms[0] ?? "json_object") === "json_object")
      notice?.(refusalSentence("trouble.schemaGivenUp", this.noSchema, this.server), "warning");
    this.drop();
  }

  /** Forgets them, as the form is again as it was before. */
  drop(): void {
    this.unsaid = [];
    this.noSchema = undefined;
  }
}

/** That a part of a request was refused, with the server's reason. */
export function refusalSentence(
  code: "trouble.pictureRefused" | "trouble.reasoningRefused" | "trouble.schemaGivenUp",
  { complaint }: ServerTrouble,
  server: Server,
): Sentence {
  return sentences(displayText(code, aboutModel(server)), quotedWords(complaint.message, server));
}

function aboutModel({ name, model, steps }: Server) {
  return { server: name, name: model, model: steps.model };
}

/** That another form leaves out a part of what they have chosen, costs more or changes the API, with the server's reason; undefined if not. */
function lossSentence(
  before: Dialect,
  after: Dialect,
  trouble: ServerTrouble,
  { reasoningEffort: effort }: ModelRequest,
  server: Server,
): Sentence | undefined {
  const { steps } = server;
  const about = aboutModel(server);
  const said = quotedWords(trouble.complaint.message, server);
  if (before.api !== after.api) {
    const apis = { api: API_LABELS[before.api], other: API_LABELS[after.api], setting: steps.api };
    return sentences(displayText("trouble.apiChanged", { ...about, ...apis }), said);
  }
  if (before.pictures && !after.pictures)
    return sentences(displayText("trouble.picturesNotTaken", about), said);
  // Over Responses, marks only help a cache that the service keeps anyway.
  if (before.cacheMarks && !after.cacheMarks && before.api !== "responses")
    return sentences(displayText("trouble.cacheGivenUp", about), said);
  if (before.cacheHours && !after.cacheHours)
    return sentences(displayText("trouble.notCachedForHour", about), said);
  const [took, takes] = [before, after].map(({ sendsBack }) => sendsBack.includes("thinking_blocks"));
  const isThoughtLost = took && !takes;
  // With a budget, a model thinks between calls only if its thinking goes back.
  const isEffortLost = isThoughtLost && after.reasoning === "thinking.budget_tokens";
  if (isThoughtLost && !(isEffortLost && isEffort(effort)))
    return refusalSentence("trouble.reasoningRefused", trouble, server);
  if (!isEffort(effort)) return undefined;
  const setting = steps.effort;
  if (isEffortLost || (before.reasoning !== "none" && after.reasoning === "none"))
    return sentences(displayText("trouble.effortGivenUp", { ...about, setting }), said);
  const [word, used] = [usedEffort(before, effort), usedEffort(after, effort)];
  if (word === used) return undefined;
  const changed = { ...about, setting, effort, used };
  return sentences(displayText("trouble.effortChanged", changed), said);
}

/** The word that stands for an effort in a request. */
function usedEffort({ efforts, thinkingOff }: Dialect, effort: keyof Dialect["efforts"]): string {
  return effort === "none" && (thinkingOff === "disabled" || thinkingOff === "between_tools")
    ? "none"
    : efforts[effort];
}
