import type { StepView } from "../core/run-state.ts";
import type { Note } from "./notes.ts";

/** A line of the feed. */
export type FeedItem =
  | { readonly kind: "step"; readonly key: string; readonly step: StepView }
  | { readonly kind: "note"; readonly key: string; readonly note: Note };

/** Steps and what happened between them, in order. Notes older than the first step shown wait for its page. */
export function feedItems(
  steps: readonly StepView[],
  notes: readonly Note[],
  earlier: boolean,
): readonly FeedItem[] {
  const items: FeedItem[] = [];
  const first = steps[0]?.at ?? "";
  const inReach = earlier ? notes.filter((note) => note.at >= first) : notes;
  let next = 0;
  for (const step of steps) {
    for (let note = inReach[next]; note && note.at < step.at; note = inReach[++next])
      items.push(noteItem(note));
    items.push({ kind: "step", key: `step-${step.step}`, step });
  }
  return [...items, ...inReach.slice(next).map(noteItem)];
}

function noteItem(note: Note): FeedItem {
  return { kind: "note", key: `note-${note.seq}`, note };
}
