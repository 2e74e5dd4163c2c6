import type { PanelState } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** A voice: the browser's own. */
export interface Voice {
  say(text: string): void;
  silence(): void;
}

export function browserVoice(synthesis: SpeechSynthesis | undefined): Voice {
  return {
    say: (text) => synthesis?.speak(new SpeechSynthesisUtterance(text)),
    silence: () => synthesis?.cancel(),
  };
}

/** Says aloud what is new: the agent's own sentence of a reply, that something waits, how it ended. */
export function speakChange(before: PanelState, after: PanelState, voice: Voice): void {
  const { run } = after;
  if (!run?.facts.speech || before.run?.state.id !== run.state.id) return;
  if (run.state.end && !before.run.state.end) voice.silence();
  for (const text of newWords(before.run, run)) voice.say(text);
}

function newWords(before: RunView, after: RunView): readonly string[] {
  const reply = after.state.open?.reply;
  const isNew = reply !== undefined && reply !== before.state.open?.reply;
  const asks = after.question !== undefined && after.question !== before.question;
  const waits = after.card !== undefined && after.card.card.hash !== before.card?.card.hash;
  return [
    ...(isNew && reply.kind === "proposal" && reply.thoughts.speak !== "" ? [reply.thoughts.speak] : []),
    ...(waits ? ["Waiting for your decision."] : []),
    ...(asks ? ["Waiting for your answer."] : []),
  ];
}
