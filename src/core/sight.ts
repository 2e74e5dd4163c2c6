import type { Preview } from "./command.ts";

/** A place where the user sees a waiting proposal. */
export type Showing =
  /** The end of the unfolded text was in view on the panel's card. */
  | "card"
  /** A text editor with everything the proposal would do. */
  | "editor"
  /** The editor that compares the file with what would be written. */
  | "diff"
  /** A notification that holds the whole command line. */
  | "notification";

/** Where each kind of proposal is shown as a whole. The card only sums up a file change, so that its diff has to be open. */
const WHOLE: Readonly<Record<Preview["kind"], ReadonlySet<Showing>>> = {
  change: new Set(["diff"]),
  details: new Set(["card", "editor", "notification"]),
};

/** True when a proposal of this kind was shown as a whole at one of these places. */
export function isWholeSeen(kind: Preview["kind"], shown: Iterable<Showing>): boolean {
  return [...shown].some((where) => WHOLE[kind].has(where));
}

/** Tells a user who hasn't seen the whole proposal how to get to approve it. */
export function approvalHint(kind: Preview["kind"]): string {
  return kind === "change"
    ? "Open the diff to approve."
    : "Scroll to the end or open it in an editor to approve.";
}
