import { commandRoom } from "./command-room.ts";
import type { HeadParts } from "./prompt.ts";

const made = new WeakMap<HeadParts, Map<number, HeadParts>>();

/** The notes of a repository take at most this share of the window; characters a token, on the small side. */
const RULES_SHARE = 1 / 8;
const CHARS_PER_TOKEN = 3;

/** What all prompts to a model with such a window begin with: of the run's start, what there is room for. Made once for each window. */
export function headFor(started: HeadParts, contextWindow: number): HeadParts {
  const known = made.get(started) ?? new Map<number, HeadParts>();
  made.set(started, known);
  const head = known.get(contextWindow) ?? {
    ...started,
    commands: commandRoom(started.commands, contextWindow).offered,
    rules: rulesIn(started.rules, contextWindow),
  };
  known.set(contextWindow, head);
  return head;
}

function rulesIn(rules: HeadParts["rules"], contextWindow: number): HeadParts["rules"] {
  if (contextWindow <= 0 || rules.length === 0) return rules;
  const room = Math.floor((contextWindow * RULES_SHARE * CHARS_PER_TOKEN) / rules.length);
  return rules.map(({ file, text }) =>
    text.length <= room
      ? { file, text }
      : { file, text: `${text.slice(0, room)}\n(${file} is longer; read_file gives the rest.)` },
  );
}
