/** A mark around a part of a reply, in any spelling: `<name>`, `<|name|>`, `[name]`, `◁name▷`, and what ends it. */
const MARK = /<[^<>\n]{1,60}>|\[\/?[a-z][\w ]{0,40}\]|◁[^▷\n]{1,40}▷|-->|~~/gi;
const CLOSING = /^(?:[<[◁][|｜]?\s*(?:\/|end(?![a-z]))|[|｜]?<?.*[_▁:]end[|｜]?>$|--|~~)/i;
/** Names of marks around reasoning. A name that is missing here only makes a reply unclear. */
const THINKING = /think|thought|reason|analys|reflect|scratch/;

/** A mark in a text. */
export interface Mark {
  readonly at: number;
  readonly end: number;
  /** Its letters, regardless of which end it marks. */
  readonly name: string;
  readonly isClosing: boolean;
}

/** The marks in a text, in their order. */
function* iterateMarks(text: string): Generator<Mark> {
  for (const { 0: mark, index } of text.matchAll(MARK))
    yield {
      at: index,
      end: index + mark.length,
      name: mark.toLowerCase().replace(/(?:begin|start|end)(?![a-z])|(?<=[_▁])of(?=[_▁])|[^a-z]/g, ""),
      isClosing: CLOSING.test(mark),
    };
}

/** The first mark that passes a test. */
export function findFirstMark(text: string, isIt: (mark: Mark) => boolean): Mark | undefined {
  for (const mark of iterateMarks(text)) if (isIt(mark)) return mark;
  return undefined;
}

/** True for a mark around reasoning. */
export function isThinking({ name }: Mark): boolean {
  return THINKING.test(name);
}

/** Ends of a model's turn, and beginnings of a result that it invents. Text after them doesn't count. */
const RESULT =
  /^[ \t]*(?:\*\*)?Observation\b|<[^<>/\n]{0,20}(?:tool|function)[^<>/\n]{0,20}(?:respon|result|output)[^<>/\n]{0,20}>|\[TOOL_RESULTS\]|\[e~\[|<[|｜](?:user|system|observation|ipython|tool)[|｜]>|<[|｜]?(?:im_end|eo[mst](?:_id)?|end[_▁]of[_▁](?:text|turn|sentence|message)|endoftext|end_of_turn|end_of_turn_token)[|｜]?>|<\/s>|<\|end\|>(?!\s*<\|start\|>assistant)/im;

/** Returns the model's own part of the text after a call. Between `<s>` and `</s>`, a call with more text after it is struck out. */
export function cutInventedResult(after: string, before: string): string {
  const end = RESULT.exec(after);
  if (!end) return after;
  const isStruck = end[0] === "</s>" && /<s>[^<\n]*$/.test(before.slice(-LOOK));
  return isStruck && after.slice(end.index + end[0].length).trim() !== "" ? after : after.slice(0, end.index);
}

/** True if the text before a call makes its line a quote or a comment. */
export function isQuoting(before: string): boolean {
  return /(?:^|\n)[ \t]*(?:>|\/\/|\/\*|#|--)[^\n]*$/.test(before);
}

/** True if a line continues after an object in it, so that the object may be a part of a sentence. One pair of quotes may be around it. */
export function isLineContinued(after: string, before: string): boolean {
  const [line = ""] = after.replace(PLAIN, "").split("\n");
  const rest = line.replace(/[\s,;}\]]/g, "");
  return rest !== "" && (rest !== before.trim() || /\p{L}/u.test(rest));
}

/** Marks and fences. */
const PLAIN = /```\w*|<[^<>\n]*>|\[\/?[A-Z_]+\]/g;

/** Names of marks that end a call, and not its result. */
const CALL_END = /^(?!.*(?:respon|result|output)).*(?:tool|call|action|plugin|python)/;

/** True if a text has words, apart from marks and fences. */
export function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replace(PLAIN, ""));
}

/**
 * True if a mark that began earlier ends in a text. A mark around only the object that ends `before` doesn't count, unless words follow.
 */
export function hasMarkEnd(text: string, before = ""): boolean {
  const around = [...iterateMarks(before.slice(-LOOK))].at(-1);
  const end = findFirstMark(text, ({ isClosing }) => isClosing);
  const isAround =
    around?.name === end?.name &&
    around?.isClosing === false &&
    !isThinking(around) &&
    !RESULT.test(`<${around.name}>`) &&
    isBare(before.slice(-LOOK).slice(around.end)) &&
    isBare(text.slice(0, end?.at)) &&
    !/\p{L}/u.test(text.slice(end?.end));
  const open: string[] = [];
  for (const { name, isClosing } of isAround ? [] : iterateMarks(text)) {
    const at = open.lastIndexOf(name);
    if (!isClosing) open.push(name);
    else if (at !== -1) open.splice(at);
    else if (!CALL_END.test(name)) return true;
  }
  return false;
}

/** Number of characters before an object that are searched for a mark around it. */
const LOOK = 100;

/** True for a text with only spaces, separators and fences. */
export function isBare(text: string): boolean {
  return /^[\s,;]*$/.test(text.replace(/```\w*/g, ""));
}
