import type { ModelPair } from "../../core/events/run.ts";
import type { ThinkDependencies } from "../../core/loop/think.ts";
import type { Model } from "../../core/ports/model.ts";
import { FormatChoice, formatsFor } from "../../core/reply/formats.ts";
import type { Settings } from "../../schema/settings.ts";

type ModelSettings = Pick<Settings["model"], "replyFormat" | "temperature">;

/** The model that a run thinks with, which the user may change between two steps. */
export class ModelOfRun {
  private readonly settings: () => ModelSettings;
  private models: ModelPair | undefined;
  private formats: FormatChoice | undefined;

  constructor(pair: ModelPair | undefined, settings: () => ModelSettings) {
    this.models = pair;
    this.settings = settings;
  }

  /** Sees that there is a model, and begins anew with the reply formats that it may accept. */
  async ready(find: () => Promise<ModelPair>): Promise<void> {
    this.use(this.models ?? (await find()));
  }

  /** Thinks with these from the next step on. */
  use(pair: ModelPair): void {
    this.models = pair;
    this.formats = undefined;
  }

  /** What thinking needs, always with the model of now. */
  thinking(others: Omit<ThinkDependencies, "model" | "formats" | "temperature">): ThinkDependencies {
    const smart = (): Model => this.smart();
    const formats = (): FormatChoice => this.choice();
    const { temperature } = this.settings();
    return {
      ...others,
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

  private smart(): Model {
    return this.pair().smart;
  }

  private choice(): FormatChoice {
    const { replyFormat } = this.settings();
    this.formats ??= new FormatChoice(replyFormat === "auto" ? formatsFor(this.smart()) : [replyFormat]);
    return this.formats;
  }
}
