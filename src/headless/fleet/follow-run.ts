import { escapeInvisible, escapeInvisibleJson } from "../../core/base/text.ts";
import type { FleetAnswer, FleetEngine } from "../../fleet/engine.ts";
import { createLineReader } from "../../runs/log/read-log.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { AskedQuestion } from "../../schema/fleet/served.ts";
import { convertToStoredEvent } from "../../schema/readers.ts";
import { renderEvent } from "../display.ts";
import type { ProgramEnd } from "../exit-code.ts";
import { createOutput } from "../output.ts";
import type { Surroundings } from "../session.ts";
import { createTerminal, readAnswer, type Terminal } from "../terminal.ts";

const PROMPT = "y = yes · n [reason] = no · or say what to do\n> ";

/** Prints a run in another place until it has ended, and puts its questions to the person at the terminal. */
export async function followRun(
  engine: FleetEngine,
  run: string,
  isJson: boolean,
  around: Surroundings,
): Promise<ProgramEnd> {
  const { stdin, stdout, stderr, signal } = around;
  const out = createOutput(stdout, () => undefined);
  const warn = (text: string): void => void stderr.write(`${escapeInvisible(text)}\n`);
  const terminal = stdin.isTTY ? createTerminal(stdin, stderr) : undefined;
  const readLine = createLineReader();
  let end: Extract<AgentEvent, { type: "over" }>["end"] | undefined;
  let over = new AbortController();
  const ask = (question: AskedQuestion): void => {
    over = new AbortController();
    if (terminal) void askPerson(engine, question, terminal, AbortSignal.any([signal, over.signal]), warn);
    else warn(`${question.text}\nTo answer: autogpt fleet decide ${run} yes`);
  };
  let asked: AskedQuestion | undefined;
  try {
    for await (const event of engine.watch(run, "", signal)) {
      switch (event.type) {
        case "stored": {
          const read = readLine(event.line);
          if (!read) break;
          end = read.type === "over" ? read.end : read.type === "resumed" ? undefined : end;
          const text = isJson ? escapeInvisibleJson(JSON.stringify(convertToStoredEvent(read))) : renderEvent(read);
          if (text !== "") out.writeLine(text);
          break;
        }
        case "asks":
          over.abort(new Error("The answer isn't needed any more."));
          asked = event.question;
          if (asked) ask(asked);
          break;
        case "refused":
          warn(`The answer changed nothing. ${event.why}`);
          if (asked?.binding.id !== event.question) break;
          over.abort(new Error("The question is asked again."));
          ask(asked);
          break;
        case "connection":
          warn(event.isLost ? `${event.why ?? ""} Trying again …` : "The connection is back.");
          break;
        case "delta":
          break;
      }
    }
  } finally {
    over.abort(new Error("The run isn't followed any more."));
    terminal?.close();
    await out.waitUntilFlushed();
  }
  if (!end) {
    warn(`The run goes on there. To follow it again: autogpt fleet watch ${run}`);
    return { kind: "done" };
  }
  warn(`To bring the result here: autogpt fleet fetch ${run}`);
  return { kind: "run", end };
}

async function askPerson(
  engine: FleetEngine,
  question: AskedQuestion,
  terminal: Terminal,
  signal: AbortSignal,
  warn: (text: string) => void,
): Promise<void> {
  try {
    terminal.say(escapeInvisible(question.text));
    for (;;) {
      const line = await terminal.ask(question.card ? PROMPT : "> ", signal);
      const answer = line === undefined ? undefined : convertToAnswer(line, question);
      if (answer) return await engine.decide(question, answer, signal);
      if (line === undefined) return;
    }
  } catch (error) {
    if (!signal.aborted) warn(error instanceof Error ? error.message : String(error));
  }
}

/** The meaning of a typed line as an answer; undefined if it means none. */
export function convertToAnswer(line: string, { card }: Pick<AskedQuestion, "card">): FleetAnswer | undefined {
  const text = line.trim();
  if (!card) return text === "" ? undefined : { kind: "said", text };
  const answer = readAnswer(line);
  if (answer.kind === "approve") return answer.count === 1 ? { kind: "approved" } : undefined;
  if (answer.kind !== "refuse") return undefined;
  return { kind: "rejected", reason: text.replace(/^no?(?:\s+|$)/i, "") };
}
