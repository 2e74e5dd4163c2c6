import { omitUndefined } from "../core/base/objects.ts";
import type { ModelPair } from "../core/events/run.ts";
import type { ThinkDependencies } from "../core/loop/think.ts";
import { type ChatMessage, type Model, wrapModel } from "../core/ports/model.ts";
import { FormatChoice, listPossibleFormats, listUsualFormats } from "../core/reply/formats.ts";
import { getStrategy, type Strategy } from "../core/strategies/strategies.ts";
import type { AttachedPicture } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";

type ReplySettings = Pick<Settings["model"], "temperature" | "replyFormat" | "thoughts">;

/** Loads the bytes of a picture; undefined if they're gone. */
type LoadPicture = (picture: AttachedPicture) => Promise<Uint8Array | undefined>;

/** The model that a run thinks with, which the user may change between two steps. */
export class RunModel {
  private readonly settings: () => ReplySettings;
  private readonly pictures: LoadPicture;
  private readonly strategy: Strategy;
  private readonly limit: (model: Model) => Model;
  private models: ModelPair | undefined;
  private formats: { readonly of: string; readonly choice: FormatChoice } | undefined;

  constructor(
    pair: ModelPair | undefined,
    settings: () => ReplySettings,
    pictures: LoadPicture,
    strategy = getStrategy(undefined),
    limit = (model: Model) => model,
  ) {
    this.strategy = strategy;
    this.limit = limit;
    if (pair) this.use(pair);
    this.settings = settings;
    this.pictures = pictures;
  }

  /** Ensures that there is a model, and tries its reply formats from the best one again. */
  async ensureModel(find: () => Promise<ModelPair>): Promise<void> {
    if (!this.models) this.use(await find());
    this.formats = undefined;
  }

  /** Uses these models from the next step on, each wrapped by `limit`. */
  use({ smart, fast, planner }: ModelPair): void {
    const { limit } = this;
    const limited = { smart: limit(smart), fast: limit(fast), ...(planner ? { planner: limit(planner) } : {}) };
    this.models = this.strategy.assignRoles(limited);
    this.formats = undefined;
  }

  /**
   * Creates everything that thinking needs, always with the current model. `within` limits the strategy's own requests to the run's budget.
   */
  createThinking(
    others: Omit<ThinkDependencies, "model" | "formats" | "thoughts" | "temperature">,
    within: (model: Model) => Model = (model) => model,
  ): ThinkDependencies {
    const getSmartModel = (): Model => addPictureData(this.getModelPair().smart, this.pictures);
    const getFormats = (): FormatChoice => this.getFormatChoice();
    const { temperature, thoughts } = this.settings();
    const { prepare, listRemarks } = this.strategy;
    const getLimitedPlanner = (): Model => within(getPlannerModel(this.getModelPair()));
    return {
      ...others,
      thoughts: this.strategy.thoughts ?? thoughts,
      ...(prepare ? { prepare: (run, signal) => prepare(run, getLimitedPlanner, signal) } : {}),
      ...omitUndefined({ listStrategyRemarks: listRemarks }),
      ...(temperature === null ? {} : { temperature }),
      get model() {
        return getSmartModel();
      },
      get formats() {
        return getFormats();
      },
    };
  }

  /** Whether the main model accepts pictures; undefined until that's known. */
  async canSeePictures(): Promise<boolean | undefined> {
    return this.models?.smart.seesPictures?.();
  }

  /** Both models of the run; throws before there are any. */
  getModelPair(): ModelPair {
    if (!this.models) throw new Error("The run has no model yet.");
    return this.models;
  }

  private getFormatChoice(): FormatChoice {
    const { smart } = this.getModelPair();
    const of = `${smart.name} ${smart.contextWindow}`;
    if (this.formats?.of !== of) {
      this.formats = { of, choice: this.createFormatChoice(smart) };
    }
    return this.formats.choice;
  }

  private createFormatChoice(smart: Model): FormatChoice {
    const { replyFormat } = this.settings();
    if (this.strategy.formats) return new FormatChoice(this.strategy.formats);
    if (replyFormat === "auto")
      return new FormatChoice(listUsualFormats(smart), (format) => smart.learnFormat?.(format));
    return new FormatChoice(replyFormat === "files" ? [replyFormat, ...listPossibleFormats(smart)] : [replyFormat]);
  }
}

/** The model of a pair that plans: the smart one, whichever model thinks about the steps. */
export function getPlannerModel({ smart, planner = smart }: ModelPair): Model {
  return planner;
}

/** Wraps a model so that its requests get the content of their pictures only when they are sent, and nothing else holds it. */
function addPictureData(model: Model, load: LoadPicture): Model {
  const loadPictures = async (message: ChatMessage): Promise<ChatMessage> => {
    if ((message.role !== "user" && message.role !== "tool") || !message.pictures) return message;
    const pictures = await Promise.all(
      message.pictures.map(async (picture) => {
        const bytes = await load(picture);
        return bytes ? { ...picture, data: Buffer.from(bytes).toString("base64") } : picture;
      }),
    );
    return { ...message, pictures };
  };
  return wrapModel(() => model, {
    complete: async (request, completing) =>
      model.complete({ ...request, messages: await Promise.all(request.messages.map(loadPictures)) }, completing),
  });
}
