/** Safari ends a composition before it reports the key that did so. No hand presses another one within this time, in ms. */
const SAME_KEY_MS = 30;
/** The code of each key that an input method has taken. It's the only sign of that in Safari. */
const TAKEN_KEY = 229;

/** Keeps keys that choose or end a composed text, as in Japanese, from all handlers below. The input method still gets them. */
export function leaveKeysToComposition(root: HTMLElement): void {
  let endedMs = Number.NEGATIVE_INFINITY;
  const before = { capture: true };
  root.addEventListener(
    "compositionend",
    ({ timeStamp }) => {
      endedMs = timeStamp;
    },
    before,
  );
  root.addEventListener(
    "keydown",
    (event) => {
      const isTaken = event.isComposing || event.keyCode === TAKEN_KEY;
      if (isTaken || event.timeStamp - endedMs < SAME_KEY_MS) event.stopPropagation();
    },
    before,
  );
}
