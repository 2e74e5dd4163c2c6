import type { Mode } from "../schema/run-values.ts";
import { t } from "../texts/language.ts";

/** The warning before continuous mode, as a title and its details. */
export function continuousWarning(limit: number): { readonly title: string; readonly detail: string } {
  return {
    title: t("actions.continuousTitle"),
    detail: t("actions.continuousDetail", { limit }),
  };
}

/** The setting `run.continuous` with its limit. */
export interface ContinuousSetting {
  readonly continuous: boolean;
  readonly continuousLimit: number;
}

/** Shows the warning. "ask" starts the run with approvals; undefined cancels the start. */
export type AskAboutContinuous = (limit: number) => Promise<"continuous" | "ask" | undefined>;

/** Chooses the mode of new runs. The setting for continuous mode is confirmed once for as long as this object lives. */
export class StartMode {
  private readonly ask: AskAboutContinuous;
  private confirmed = false;

  constructor(ask: AskAboutContinuous) {
    this.ask = ask;
  }

  /** Undefined if the user cancels. */
  async of({ continuous, continuousLimit }: ContinuousSetting): Promise<Mode | undefined> {
    if (!continuous) return "ask";
    if (this.confirmed) return "continuous";
    const answer = await this.ask(continuousLimit);
    this.confirmed = answer === "continuous";
    return answer;
  }
}
