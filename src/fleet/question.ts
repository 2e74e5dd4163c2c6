import { tryJson } from "../core/base/json.ts";
import { escapeForApproval, escapeInvisible } from "../core/base/text.ts";
import type { FleetBinding, SealedText } from "../schema/fleet/decisions.ts";
import type { AskedQuestion } from "../schema/fleet/served.ts";
import { isAskedQuestion } from "../schema/host-validators.ts";
import { fail } from "../texts/display-text.ts";
import type { FleetKey } from "./key.ts";
import { hasSeal, sealValue } from "./sealed-text.ts";

/** Seals a question as a whole, so that its text and the hash that an answer is for belong together. */
export function sealQuestion(key: FleetKey, question: AskedQuestion): SealedText {
  return sealValue(key, getPurpose(question.binding), question);
}

/** The question of a run as its machine sealed it; undefined for any other text. */
export function openQuestion(key: FleetKey, run: string, sealed: SealedText): AskedQuestion | undefined {
  const question = tryJson(sealed.text);
  if (!isAskedQuestion(question) || question.binding.run !== run) return undefined;
  return hasSeal(key, getPurpose(question.binding), sealed) ? question : undefined;
}

/**
 * Returns a reader for the questions of a watched run, with their hidden characters made visible. One of an earlier attempt than before is
 * left out, because its answer would change nothing. The reader throws a sentence for a question that no machine with the key has asked.
 */
export function createQuestionReader(key: FleetKey, run: string): (sealed: SealedText) => AskedQuestion | undefined {
  let newest = 0;
  return (sealed) => {
    const question = openQuestion(key, run, sealed) ?? fail("fleet.questionRefused");
    if (question.binding.attempt < newest) return undefined;
    newest = question.binding.attempt;
    return showHidden(question);
  };
}

function showHidden({ card, text, ...rest }: AskedQuestion): AskedQuestion {
  const shown = { ...rest, text: escapeInvisible(text) };
  return card ? { ...shown, card: { ...card, text: escapeForApproval(card.text) } } : shown;
}

/** A seal of one attempt proves nothing about another. */
function getPurpose({ run, attempt }: FleetBinding): string {
  return `question ${run} ${attempt}`;
}
