import { requestTokens } from "../core/context/tokens.ts";
import {
  type Completion,
  type CompletionOptions,
  type Model,
  type ModelDelta,
  ModelError,
  ModelReplaced,
  type ModelRequest,
  wrapModel,
} from "../core/ports/model.ts";
import { displayText, type Sentence } from "../texts/display-text.ts";

/** A replacement model, by its name in the settings. It's created when it's needed. */
export interface Fallback {
  readonly name: string;
  make(): Promise<Model>;
}

/** Dependencies of a model's replacements. */
export interface FallbackOptions {
  /** The replacements in order, from the current settings. */
  listFallbacks(): readonly Fallback[];
  /** How the user can choose a model, for a sentence. */
  readonly choose: Sentence;
  /** Milliseconds of a clock; absent: the machine's. */
  getTime?(): number;
}

/** How long a model that couldn't answer isn't used. */
const REST_MS = 10 * 60_000;
/** The longest wait that a server may ask for while another model is available. */
const PATIENCE_MS = 60_000;

/** A failed attempt: a sentence about it, and the refused reply that was paid for. */
interface Failure {
  readonly why: Sentence;
  readonly error?: ModelError;
  readonly refused?: Completion;
}

/** The current state of a model in the chain. */
interface ChainState {
  model?: Model;
  restsUntil: number;
  failure?: Failure;
}

/** Lets other models replace a model, in order, while it can't answer. Each request is answered once. */
export function addFallbacks(first: Model, options: FallbackOptions): Model {
  const chain = new FallbackChain(first, options);
  return wrapModel(() => chain.current, {
    complete: (request, completing) => chain.complete(request, completing),
  });
}

class FallbackChain {
  current: Model;
  private readonly first: Fallback;
  private readonly options: FallbackOptions;
  /** By name. The first model's state is separate, because another provider may have a model with the same name. */
  private readonly states = new Map<string, ChainState>();
  private readonly firstState: ChainState = { restsUntil: 0 };

  constructor(first: Model, options: FallbackOptions) {
    this.current = first;
    this.first = { name: first.name, make: async () => first };
    this.options = options;
  }

  async complete(request: ModelRequest, completing: CompletionOptions): Promise<Completion> {
    const all = [this.first, ...this.options.listFallbacks()];
    const order = this.selectReady(all);
    let before: Failure | undefined;
    let paidUsd = 0;
    for (const [index, one] of order.entries()) {
      const place = { isLast: index === order.length - 1, before };
      const result = await this.tryOne(one, request, completing, place);
      if ("text" in result) return paidUsd > 0 ? { ...result, costUsd: (result.costUsd ?? 0) + paidUsd } : result;
      paidUsd += result.refused?.costUsd ?? 0;
      before = result;
    }
    throw all.length === 1 && before?.error ? before.error : this.createNoAnswerError(all);
  }

  /** The models that aren't resting; all of them if all are resting. */
  private selectReady(all: readonly Fallback[]): readonly Fallback[] {
    const ready = all.filter((one) => this.getState(one).restsUntil <= this.getTime());
    if (ready.length > 0) return ready;
    for (const one of all) this.getState(one).restsUntil = 0;
    return all;
  }

  /** Asks one model. The caller may have to rebuild the request for it. */
  private async tryOne(
    one: Fallback,
    request: ModelRequest,
    completing: CompletionOptions,
    { isLast, before }: { readonly isLast: boolean; readonly before: Failure | undefined },
  ): Promise<Completion | Failure> {
    const state = this.getState(one);
    const heard = wrapCompletionOptions(completing, isLast);
    try {
      state.model ??= await one.make();
      const { model } = state;
      if (model !== this.current) {
        if (before && !completing.replans && !hasRoomFor(model, request)) return before;
        this.switchTo(one, model, completing, before);
      }
      const completion = await model.complete(request, heard.options);
      if (isLast || !isRefusal(completion)) return completion;
      const why = displayText("trouble.modelRefused", { model: one.name });
      return this.recordFailure(state, { why, refused: completion }, heard);
    } catch (error) {
      completing.signal.throwIfAborted();
      if (!(error instanceof ModelError) || !canBeReplaced(error)) throw error;
      return this.recordFailure(state, { why: error.text, error }, heard);
    }
  }

  private switchTo(one: Fallback, model: Model, completing: CompletionOptions, before: Failure | undefined): void {
    this.current = model;
    const text =
      before === undefined
        ? displayText("trouble.modelBack", { model: one.name })
        : displayText("trouble.modelReplaced", { model: one.name, why: before.why });
    if (completing.replans) throw new ModelReplaced(text, before?.refused);
    completing.notice?.(text);
  }

  private recordFailure(state: ChainState, failure: Failure, { restart }: Hearing): Failure {
    state.failure = failure;
    state.restsUntil = this.getTime() + Math.max(REST_MS, failure.error?.waitMs ?? 0);
    restart();
    return failure;
  }

  /** The error for people after all models failed. */
  private createNoAnswerError(all: readonly Fallback[]): ModelError {
    const failures = all.flatMap((one) => {
      const { failure } = this.getState(one);
      return failure ? [{ ...failure, model: one.name }] : [];
    });
    const lines = [
      displayText("trouble.noModelAnswers", { count: all.length }),
      ...failures.map(({ model, why }) => displayText("trouble.modelBecause", { model, why })),
      displayText("trouble.chooseWith", { model: this.options.choose }),
    ];
    const waits = failures.map(({ error }) => error?.waitMs ?? 0);
    const waitMs = Math.min(...waits);
    const isSetup = failures.every(({ error }) => error?.trouble === "setup");
    return new ModelError(
      isSetup ? "setup" : "busy",
      lines.reduce((first, second) => displayText("common.twoLines", { first, second })),
      waitMs > 0 ? { waitMs } : {},
    );
  }

  private getState(one: Fallback): ChainState {
    if (one === this.first) return this.firstState;
    const { name } = one;
    const state = this.states.get(name) ?? { restsUntil: 0 };
    this.states.set(name, state);
    return state;
  }

  private getTime(): number {
    return this.options.getTime?.() ?? Date.now();
  }
}

interface Hearing {
  readonly options: CompletionOptions;
  /** Discards the pieces that were received so far. */
  restart(): void;
}

function wrapCompletionOptions(completing: CompletionOptions, isLast: boolean): Hearing {
  const { signal, patienceMs = Number.POSITIVE_INFINITY } = completing;
  let begun = false;
  const restart = (): void => {
    if (begun) completing.restarted?.();
    begun = false;
  };
  const handleDelta = (piece: ModelDelta): void => {
    begun = true;
    completing.delta?.(piece);
  };
  const notice: CompletionOptions["notice"] = (text, kind) => completing.notice?.(text, kind);
  const options = { signal, delta: handleDelta, restarted: restart, notice };
  return {
    options: { ...options, patienceMs: isLast ? patienceMs : Math.min(patienceMs, PATIENCE_MS) },
    restart,
  };
}

function hasRoomFor({ contextWindow }: Model, request: ModelRequest): boolean {
  return requestTokens(request) + (request.maxReplyTokens ?? 0) <= contextWindow;
}

/** True for a reply that only refuses to answer. */
function isRefusal({ finish, calls }: Completion): boolean {
  return calls.length === 0 && (finish === "content_filter" || finish === "refusal");
}

/** True for trouble with the model or its service. Other trouble is solved by another format or a shorter prompt. */
function canBeReplaced(error: ModelError): boolean {
  if (error instanceof ModelReplaced) return false;
  const { trouble, isUnexplained, mayBeTooLong } = error;
  return trouble === "busy" || trouble === "setup" || (trouble === "other" && !isUnexplained && !mayBeTooLong);
}
