import type { PastStep } from "./prompt-past.ts";
import type { Moment } from "./scripted.ts";

/** What the demo says first about what came of its last step, and about what the user said; "" when all went as written. */
export function remarkOn({ steps, said }: Moment): string {
  const last = steps.at(-1);
  const remarks = [
    ...(last ? outcomeRemark(last) : []),
    ...said.map(
      (words) =>
        `You said: "${short(words)}". I only follow a script and cannot act on that; a real model would.`,
    ),
  ];
  return remarks.map((remark) => `${remark} `).join("");
}

function outcomeRemark({ call, status, text }: PastStep): string[] {
  if (status === "refused") {
    const why = text === "" ? "" : ` You said: "${short(text)}".`;
    return [`You refused ${call.name}, so it was not run.${why} I go on without it.`];
  }
  if (status === "failed") return [`${call.name} did not work: "${short(text)}". I go on as well as I can.`];
  if (status === "done" && CHANGED_BY_USER.test(text))
    return ["You changed what I proposed before you accepted it. I take it as you left it."];
  return [];
}

/** How the outcome of a command tells that the user had a hand in it. */
const CHANGED_BY_USER = /\bthe user (has )?(changed|edited|dropped|accepted)/i;

/** The last step that used a command; undefined when there is none. */
export function lastOf({ steps }: Pick<Moment, "steps">, command: string): PastStep | undefined {
  return steps.findLast(({ call }) => call.name === command);
}

/** True when the command's last use came to its end. */
export function wasDone(moment: Pick<Moment, "steps">, command: string): boolean {
  return lastOf(moment, command)?.status === "done";
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
}
