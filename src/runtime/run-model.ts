import type { ModelPair } from "../core/events/run.ts";
import type { ThinkDependencies } from "../core/loop/think.ts";
import { type ChatMessage, type Model, wrapModel } from "../core/ports/model.ts";
import { FormatChoice, formatsFor, usualFormats } from "../core/reply/formats.ts";
import type { AttachedPicture } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import { type Strategy, strategyOf } from "../strategies/strategies.ts";

type ReplySettings = Pick<Settings["model"], "temperature" | "replyFormat" | "thoughts">;

/** The bytes of a picture; undefined when they're gone. */
type LoadPicture = (picture: AttachedPicture) => Promise<Uint8Array | undefined>;

/** The model that a run thinks with, which the user may change between two steps. */
export class RunModel {
  private readonly settings: () => ReplySettings;
  private readonly pictures: LoadPicture;
  private readonly strategy: Strategy;
  private models: ModelPair | undefined;
  private formats: { readonly of: string; readonly choice: FormatChoice } | undefined;

  constructor(
    pair: ModelPair | undefined,
    settings: () => ReplySettings,
    pictures: LoadPicture,
    strategy = strategyOf(undefined),
  ) {
    this.strategy = strategy;
    this.models = pair && strategy.roles(pair);
    this.settings = settings;
    this.pictures = pictures;
  }

  /** Makes sure that there is a model, and tries its reply formats from the best one again. */
  async ready(find: () => Promise<ModelPair>): Promise<void> {
    this.use(this.models ?? (await find()));
  }

  /** Thinks with these from the next step on. */
  use(pair: ModelPair): void {
    this.models = this.strategy.roles(pair);
    this.formats = undefined;
  }

  /** Everything that thinking needs, always with the current model. `within` keeps the strategy's own requests to the run's budget. */
  thinking(
    others: Omit<ThinkDependencies, "model" | "formats" | "thoughts" | "temperature">,
    within: (model: Model) => Model = (model) => model,
  ): ThinkDependencies {
    const smart = (): Model => withPictureData(this.pair().smart, this.pictures);
    const formats = (): FormatChoice => this.choice();
    const { temperature, thoughts } = this.settings();
    const { prepare, remarks } = this.strategy;
    const planner = (): Model => within(plannerOf(this.pair()));
    return {
      ...others,
      thoughts: this.strategy.thoughts ?? thoughts,
      ...(prepare ? { prepare: (run, signal) => prepare(run, planner, signal) } : {}),
      ...(remarks ? { strategyRemarks: remarks } : {}),
      ...(temperature === null ? {} : { temperature }),
      get model() {
        return smart();
      },
      get formats() {
        return formats();
      },
    };
  }

  /** Whether the main model takes pictures; undefined before that's known. */
  async seesPictures(): Promise<boolean | undefined> {
    return this.models?.smart.seesPictures?.();
  }

  /** Both of its models; throws before there are any. */
  pair(): ModelPair {
    if (!this.models) throw new Error("The run has no model yet.");
    return this.models;
  }

  private choice(): FormatChoice {
    const { smart } = this.pair();
    const of = `${smart.name} ${smart.contextWindow}`;
    if (this.formats?.of !== of) {
      this.formats = { of, choice: this.choiceFor(smart) };
    }
    return this.formats.choice;
  }

  private choiceFor(smart: Model): FormatChoice {
    const { replyFormat } = this.settings();
    if (this.strategy.formats) return new FormatChoice(this.strategy.formats);
    if (replyFormat === "auto")
      return new FormatChoice(usualFormats(smart), (format) => smart.learnFormat?.(format));
    return new FormatChoice(replyFormat === "files" ? [replyFormat, ...formatsFor(smart)] : [replyFormat]);
  }
}

/** The model of a pair that plans: the smart one, whatever thinks about the steps. */
export function plannerOf({ smart, planner = smart }: ModelPair): Model {
  return planner;
}

/** A model whose requests get the content of their pictures when they are sent, so that nothing else holds it. */
function withPictureData(model: Model, load: LoadPicture): Model {
  const loaded = async (message: ChatMessage): Promise<ChatMessage> => {
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
      model.complete({ ...request, messages: await Promise.all(request.messages.map(loaded)) }, completing),
  });
}
