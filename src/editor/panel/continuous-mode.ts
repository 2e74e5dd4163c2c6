import type { Mode } from "../../schema/run-values.ts";
import { displayText, joinSentences } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";

/** The warning before continuous mode, as a title and details. Mentions isolated runs if they are possible. */
export function describeContinuousMode(
  limit: number,
  canIsolate: boolean,
): { readonly title: string; readonly detail: string } {
  const detail = displayText("actions.continuousDetail", { limit });
  return {
    title: t("actions.continuousTitle"),
    detail: write(joinSentences(detail, canIsolate ? displayText("isolation.continuousHint") : undefined)),
  };
}

/** The setting `run.continuous` with its limit. */
export interface ContinuousSetting {
  readonly continuous: boolean;
  readonly continuousLimit: number;
}

/** Shows the warning. "ask" starts the run with approvals; undefined cancels the start. */
export type AskAboutContinuous = (
  limit: number,
  canIsolate: boolean,
) => Promise<"continuous" | "ask" | "isolated" | undefined>;

/** Chooses the mode of new runs. Asks once per instance to confirm the setting for continuous mode. */
export class StartMode {
  private readonly ask: AskAboutContinuous;
  private confirmed = false;

  constructor(ask: AskAboutContinuous) {
    this.ask = ask;
  }

  /** Undefined if the user cancels. */
  async chooseMode(
    { continuous, continuousLimit }: ContinuousSetting,
    canIsolate: () => Promise<boolean>,
  ): Promise<Mode | undefined> {
    if (!continuous) return "ask";
    if (this.confirmed) return "continuous";
    const answer = await this.ask(continuousLimit, await canIsolate());
    this.confirmed = answer === "continuous";
    return answer;
  }
}
