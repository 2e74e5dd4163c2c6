/** The beginning of the texts that mentions, or the command before them, have added to a task. */
const ADDED = /\n\n(?=(?:@(?:selection|problems|git|\S+:\S+)|\/\S+):\n=+ begin data from )/;

/** A task as the user typed it, and the texts that its mentions have added; "" if there are none. */
export interface SplitTask {
  readonly typed: string;
  readonly quoted: string;
}

export function splitMentionedTexts(task: string): SplitTask {
  const at = ADDED.exec(task)?.index;
  return at === undefined ? { typed: task, quoted: "" } : { typed: task.slice(0, at), quoted: task.slice(at).trim() };
}

/** Removes the texts that mentions have added to a task. */
export function removeMentionedTexts(task: string): string {
  return splitMentionedTexts(task).typed;
}
