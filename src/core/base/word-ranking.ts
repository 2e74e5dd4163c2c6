/** A searchable text as its words and their frequencies. */
interface Words {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Okapi BM25 (Robertson and Zaragoza, 2009). */
const K1 = 1.2;
const B = 0.75;
const LONGEST_WORD = 40;
/** Matches ASCII: the patterns for all scripts take several times as long. */
const PLAIN = /^[\0-\x7f]*$/;

/** Ranks texts by their words. The words of an item are cached as long as the item exists. */
export class WordRanking<Item extends object> {
  private readonly read = new WeakMap<Item, Words>();
  private readonly textOf: (item: Item) => string;

  constructor(textOf: (item: Item) => string) {
    this.textOf = textOf;
  }

  /** The items that share words with a query, best first. */
  findBest(query: string, items: readonly Item[], most: number): readonly Item[] {
    const wanted = new Set(listStemmedWords(query));
    const all = items.map((item) => ({ item, words: this.getItemWords(item) }));
    const average = all.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, all.length);
    const scores = new Map<Item, number>();
    for (const word of wanted) {
      const having = all.filter(({ words }) => words.counts.has(word));
      const rarity = Math.log(1 + (all.length - having.length + 0.5) / (having.length + 0.5));
      for (const { item, words } of having) {
        const times = words.counts.get(word) ?? 0;
        const weight = (times * (K1 + 1)) / (times + K1 * (1 - B + (B * words.length) / average));
        scores.set(item, (scores.get(item) ?? 0) + rarity * weight);
      }
    }
    const ranked = [...scores].sort(([, one], [, other]) => other - one);
    return ranked.slice(0, most).map(([item]) => item);
  }

  private getItemWords(item: Item): Words {
    const known = this.read.get(item);
    if (known) return known;
    const list = listStemmedWords(this.textOf(item));
    const counts = new Map<string, number>();
    for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1);
    const words = { counts, length: Math.max(1, list.length) };
    this.read.set(item, words);
    return words;
  }
}

/** The words of a text without the most common endings, so that "images" finds "image"; parts of camelCase names are words. */
function listStemmedWords(text: string): readonly string[] {
  const isPlain = PLAIN.test(text);
  const parts = text.replace(isPlain ? /([a-z])([A-Z])/g : /(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  const words = parts.match(isPlain ? /[a-z\d]+/g : /[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => (word.length > 2 || /\d/.test(word)) && word.length <= LONGEST_WORD)
    .map((word) => word.replace(/(?:ing|es|ed|s|e)$/, ""));
}
