import { limitMarks } from "../search/words.ts";

/** Longer words are unknown, as in BERT's own tokenizer. */
const LONGEST_WORD = 100;
const UNKNOWN = "[UNK]";
/** The most characters per token. A text is read only up to this many characters for each requested token. */
const CHARS_PER_TOKEN = 32;

const PLAIN = /^[\t\n\r -~]*$/;
/** BERT drops these: control characters, formats, private use, lone surrogates. Tabs and line breaks are spaces. */
const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu;
const ACCENTS = /\p{Mn}/gu;
/** Each match is a word: a run of other characters, or a single punctuation mark or ASCII symbol. */
const WORDS = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;
const CHINESE =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu;

/** Splits texts into the word pieces that a model knows, like BERT's uncased tokenizer. */
export class WordPieces {
  private readonly vocabulary: ReadonlyMap<string, number>;
  private readonly longest: number;
  private readonly unknown: (word: string) => readonly number[];

  /**
   * Pieces within a word begin with `##`. `unknown` returns ids for words that can't be split into pieces. Without it, such words become
   * `[UNK]`, or are left out if the vocabulary has no `[UNK]`.
   */
  constructor(
    vocabulary: ReadonlyMap<string, number>,
    unknown: (word: string) => readonly number[] = () => listTokenIds(vocabulary, UNKNOWN),
  ) {
    this.vocabulary = vocabulary;
    this.unknown = unknown;
    this.longest = Math.max(0, ...Array.from(vocabulary.keys(), ({ length }) => length));
  }

  /** The ids of the first pieces. Names of special tokens, such as `[SEP]`, are treated as ordinary text. */
  listPieceIds(text: string, most: number): number[] {
    const ids: number[] = [];
    for (const [word] of normalizeWords(text.slice(0, most * CHARS_PER_TOKEN)).matchAll(WORDS)) {
      ids.push(...this.splitWord(word));
      if (ids.length >= most) break;
    }
    return ids.slice(0, most);
  }

  private splitWord(word: string): readonly number[] {
    const whole = listTokenIds(this.vocabulary, word);
    if (whole.length > 0) return whole;
    const pieces = word.length <= LONGEST_WORD || [...word].length <= LONGEST_WORD ? this.cut(word) : [];
    return pieces.length > 0 ? pieces : this.unknown(word);
  }

  /** Repeatedly takes the longest known piece. Returns no pieces if a part of the word remains. */
  private cut(word: string): readonly number[] {
    const pieces: number[] = [];
    for (let start = 0; start < word.length; ) {
      let end = Math.min(word.length, start + this.longest);
      let id: number | undefined;
      for (; end > start && id === undefined; end--)
        id = this.vocabulary.get(start === 0 ? word.slice(0, end) : `##${word.slice(start, end)}`);
      if (id === undefined) return [];
      pieces.push(id);
      start = end + 1;
    }
    return pieces;
  }
}

function listTokenIds(vocabulary: ReadonlyMap<string, number>, token: string): readonly number[] {
  const id = vocabulary.get(token);
  return id === undefined ? [] : [id];
}

/**
 * Lowercases and removes accents. Final sigmas become ordinary ones, because JavaScript chooses between them by the surrounding letters.
 */
function normalizeWords(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const spaced = text.replace(DROPPED, "").replace(CHINESE, " $& ");
  return limitMarks(spaced).normalize("NFD").replace(ACCENTS, "").replaceAll("Σ", "σ").toLowerCase();
}
