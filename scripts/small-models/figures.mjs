import { Ajv } from "ajv";
import { rebuildStepPrompt } from "../../src/core/prompt/prompt.ts";

const ajv = new Ajv({ allErrors: true, strict: false, validateSchema: false });

/** A run's replies, each with its call checked against the schema of its command. */
export function repliesIn(events) {
  const [started] = events;
  const checks = new Map(started.commands.map(({ name, parameters }) => [name, ajv.compile(parameters)]));
  return events.filter(({ type }) => type === "replied").map((event) => checkedReply(event, checks));
}

function checkedReply({ step, format, finish, text, calls, reply }, checks) {
  const said = { step, format, finish, text: text || JSON.stringify(calls) };
  if (reply.kind === "unreadable") return { ...said, isReadable: false, isValid: false, problem: reply.problem };
  const { name, args } = reply.call;
  const check = checks.get(name);
  if (check?.(args)) return { ...said, isReadable: true, isValid: true, command: name };
  const problem = check ? ajv.errorsText(check.errors) : "There is no such command.";
  return { ...said, isReadable: true, isValid: false, command: name, problem };
}

/** The text of a run's longest prompt, and how many messages it has. */
export function longestPrompt(events) {
  const steps = new Set(events.filter(({ type }) => type === "asked").map(({ step }) => step));
  const prompts = [...steps].map((step) => rebuildStepPrompt(events, step)?.messages ?? []);
  const texts = prompts.map((messages) => ({
    text: messages.map(({ content }) => content).join("\n"),
    messages: messages.length,
  }));
  return texts.reduce((one, other) => (other.text.length > one.text.length ? other : one), {
    text: "",
    messages: 0,
  });
}

/** The ends that a run may have by its own declaration. */
const DECLARED = ["finished", "exhausted", "stuck"];

/** Sums up runs. A run is `{ window, end, passed, seconds, replies, promptTokens, refusedPrompts }`. */
export function figuresOf(runs) {
  const replies = runs.flatMap((run) => run.replies);
  const share = (wanted) => (replies.length === 0 ? 0 : replies.filter(wanted).length / replies.length);
  return {
    runs: runs.length,
    replies: replies.length,
    readable: share(({ isReadable }) => isReadable),
    valid: share(({ isValid }) => isValid),
    ends: counted(runs.map(({ end }) => end)),
    endedAsDeclared: runs.every(({ end }) => DECLARED.includes(end)),
    largestPrompt: Math.max(0, ...runs.map(({ promptTokens }) => promptTokens)),
    windowKept: runs.every(({ promptTokens, window }) => promptTokens < window),
    tasksDone: runs.filter(({ passed }) => passed).length,
    seconds: Math.round(runs.reduce((sum, { seconds }) => sum + seconds, 0)),
  };
}

function counted(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The figures of a model as a table: a row for each window, and one for all. */
export function figureLines({ name }, runs) {
  const windows = [...new Set(runs.map(({ window }) => window))];
  const rows = [
    ...windows.map((window) => [String(window), figuresOf(runs.filter((run) => run.window === window))]),
    ["all", figuresOf(runs)],
  ];
  return [
    `${name}: window | runs | replies | readable | valid calls | largest prompt | tasks done | seconds | ends`,
    ...rows.map(([window, figures]) =>
      [
        ...[window, figures.runs, figures.replies, percent(figures.readable), percent(figures.valid)],
        ...[figures.largestPrompt, figures.tasksDone, figures.seconds],
        Object.entries(figures.ends)
          .map(([end, times]) => `${end} ${times}`)
          .join(", "),
      ].join(" | "),
    ),
  ];
}

function percent(share) {
  return `${(share * 100).toFixed(1)}%`;
}

const LEAST_READABLE = 0.95;
const LEAST_VALID = 0.9;

/** What the figures fall short of, as sentences. */
export function missed(figures) {
  return [
    figures.readable < LEAST_READABLE
      ? `${percent(figures.readable)} of the replies are readable, less than ${percent(LEAST_READABLE)}.`
      : "",
    figures.valid < LEAST_VALID
      ? `${percent(figures.valid)} of the replies are valid calls, less than ${percent(LEAST_VALID)}.`
      : "",
    figures.endedAsDeclared ? "" : "A run didn't end as declared.",
    figures.windowKept ? "" : "A prompt was larger than its window.",
  ].filter((sentence) => sentence !== "");
}
