import type { Composer } from "./composer.ts";

/** Where the page to begin at stands among the places that something is written for; runs stand under their ids. */
export const START_PAGE = "";

/** Text that was not sent, and what it is for. */
export interface Written {
  readonly place: string;
  readonly text: string;
}

/** What the user writes, for the place on show and for those that it may come back to. */
interface Writing {
  readonly composer: Composer;
  readonly place?: string;
  readonly written: readonly Written[];
}

const MOST_KEPT = 20;

/** Another place is shown: what was written for the one before waits there, so that it is never sent to another. */
export function atPlace<State extends Writing>(state: State, place: string): State {
  if (state.place === place) return state;
  if (state.place === undefined) return { ...state, place };
  const { text } = state.composer;
  const others = state.written.filter((one) => one.place !== place && one.place !== state.place);
  const left = text.trim() === "" ? [] : [{ place: state.place, text }];
  return {
    ...state,
    place,
    composer: { text: state.written.find((one) => one.place === place)?.text ?? "" },
    written: [...others, ...left].slice(-MOST_KEPT),
  };
}
