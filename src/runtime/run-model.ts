import type { ModelPair } from "../core/events/run.ts";
import type { ThinkDependencies } from "../core/loop/think.ts";
import type { Model } from "../core/ports/model.ts";
import { FormatChoice, formatsFor } from "../core/reply/formats.ts";
import type { Settings } from "../schema/settings.ts";

type ReplySettings = Pick<Settings["model"], "temperature" | "replyFormat" | "thoughts">;

/** The model that a run thinks with, which the user may change between two steps. */
export class RunModel {
  private readonly settings: () => ReplySettings;
  private models: ModelPair | undefined;
  private formats: FormatChoice | undefined;

  constructor(pair: ModelPair | undefined, settings: () => ReplySettings) {
    this.models = pair;
    this.settings = settings;
  }

  /** Makes sure that there is a model, and tries its reply formats from the best one again. */
  async ready(find: () => Promise<ModelPair>): Promise<void> {
    this.use(this.models ?? (await find()));
  }

  /** Thinks with these from the next step on. */
  use(pair: ModelPair): void {
    this.models = pair;
    this.formats = undefined;
  }

  /** Everything that thinking needs, always with the current model. */
  thinking(
    others: Omit<ThinkDependencies, "model" | "formats" | "thoughts" | "temperature">,
  ): ThinkDependencies {
    const smart = (): Model => this.pair().smart;
    const formats = (): FormatChoice => this.choice();
    const { temperature, thoughts } = this.settings();
    return {
      ...others,
      thoughts,
      ...(temperature === null ? {} : { temperature }),
      get model() {
        return smart();
      },
      get formats() {
        return formats();
      },
    };
  }

  /** Both of its models; throws before there are any. */
  pair(): ModelPair {
    if (!this.models) throw new Error("The run has no model yet.");
    return this.models;
  }

  private choice(): FormatChoice {
    const { replyFormat } = this.settings();
    const { smart } = this.pair();
    this.formats ??= new FormatChoice(replyFormat === "auto" ? formatsFor(smart) : [replyFormat]);
    return this.formats;
  }
}
