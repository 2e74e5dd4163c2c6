/** Safari ends a composition before it reports the key that ended it. No one presses another key within this time, in ms. */
const SAME_KEY_MS = 30;
/** The code of any key that an input method has handled, and the only sign of it in Safari. */
const TAKEN_KEY = 229;

/** Hides keys that choose or end a composed text, as in Japanese, from all handlers below. The input method still gets them. */
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
