import { setImmediate as untilIdle } from "node:timers/promises";
import { omitUndefined } from "../../core/base/objects.ts";
import { type CountTokens, estimateTokens } from "../../core/context/tokens.ts";
import { type DisplayText, displayText, writeInEnglish } from "../../texts/display-text.ts";
import { computeQueryVector, type Embedder, EmbeddingError } from "../embedding/embedder.ts";
import { type FusedHit, fuse, type Scored } from "../search/ranking.ts";
import { formatMemorySource, type MemoryItem, type MemoryKind } from "../store/memory-item.ts";
import type { MemoryFilter, MemorySearch, StoredItem } from "../store/memory-store.ts";

/** A memory that matches a query. */
export interface MemoryHit {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly text: string;
  /** The source with the place in it, and with the author if it's someone else. */
  readonly source: string;
  /** The run that made the memory. */
  readonly run?: string;
  readonly at: string;
  /** 0 to 1. */
  readonly score: number;
  /** Why it was recalled, with its ranks, in English. */
  readonly why: string;
  /** The same reason for people, in a few words. */
  readonly reason?: DisplayText;
  /** Made by this user's program, regardless of its content. */
  readonly isProven?: true;
  /** True if the memory was made on this machine from only the user's words and workspace files. */
  readonly isClean?: true;
}

/** Options of a recall. */
export interface RecallOptions {
  readonly count: number;
  /** The limit for all texts together. */
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  /** The current run. Its own memories rank a little higher. */
  readonly run?: string;
  /** True for unwanted memories, such as steps that the prompt still contains in full. */
  skip?(item: MemoryItem): boolean;
  /** The current place of a file's memory. Undefined if the file has changed there; then the memory isn't recalled. */
  findPlaceNow?(item: MemoryItem): Promise<string | undefined>;
  /** Selects the memories to search; absent: all. */
  readonly filter?: MemoryFilter;
  readonly countTokens?: CountTokens;
  /** Leaves out memories that share no word with the query and have a very low cosine. */
  readonly onlyAlike?: true;
  /** Leaves out memories with text of others, unless they match much better than every other one. */
  readonly prefersClean?: true;
}

/** The least cosine of `onlyAlike`. In test/fixtures/recall, every right memory among the first five has 0.158 or more. */
export const ALIKE = 0.15;

/** Dependencies of a recall. */
interface RecallContext {
  readonly search: MemorySearch;
  readonly embedder: Embedder;
  readonly now: Date;
  /** Whether this user's program is proven to have made a memory. */
  isProven?(item: MemoryItem): boolean;
  /** Whether a memory is proven to hold only the user's own words. */
  isClean?(item: MemoryItem): boolean;
}

/** How much closer than all clean memories one with text of others has to be: the sum of cosine and coverage, 0 to 2. */
const TAINT_MARGIN = 0.25;

const CANDIDATES = 60;
/** The largest bonus for the memories of this run (a little more than one rank), and for recent ones. */
const OWN_RUN = 0.12;
const FRESH = 0.1;
const HALF_LIFE_MS = 7 * 24 * 3600 * 1000;
/** Memories with a higher cosine are repeats. */
const SAME = 0.95;
/** The first memory is cut to fit if at least this many tokens are left. */
const LEAST_TOKENS = 40;

/** Finds the memories that match a query best, by meaning and by words; only by words if the embedder doesn't answer. */
export async function recall(
  query: string,
  options: RecallOptions,
  context: RecallContext,
): Promise<readonly MemoryHit[]> {
  const { search, embedder, now } = context;
  if (query.trim() === "" || search.size === 0 || options.count <= 0) return [];
  const candidates = Math.max(CANDIDATES, 2 * options.count);
  const { filter, signal } = options;
  const meant = await searchByMeaning({ query, count: candidates, filter, signal }, search, embedder);
  await untilIdle();
  const byWords = await search.findWithWords(query, candidates, filter);
  signal.throwIfAborted();
  const ranked = fuse(
    meant.filter(({ value, score }) => score > 0 && !options.skip?.(value.read())),
    byWords.filter(({ value }) => !options.skip?.(value.read())),
  )
    .filter(({ words, meaning }) => words || (meaning?.cosine ?? 0) >= (options.onlyAlike ? ALIKE : 0))
    .map((fused) => {
      const found = { ...fused, item: fused.value.read() };
      return { ...found, score: computePreferredScore(found, options.run, now) };
    });
  ranked.sort((a, b) => b.score - a.score);
  const preferred = options.prefersClean ? selectPreferredMemories(ranked, options.run, context) : ranked;
  const distinct = await omitRepeats(preferred, context, options);
  return selectFittingHits(
    distinct.map((found) => createMemoryHit(found, options.run, context)),
    options,
  );
}

/** Leaves out memories with text of others that aren't much closer than all clean ones, if there are any. This run's own text has been counted already. */
function selectPreferredMemories(
  ranked: readonly FoundMemory[],
  run: string | undefined,
  { isClean }: RecallContext,
): readonly FoundMemory[] {
  const clean = new Set(ranked.filter(({ item }) => (run !== undefined && item.run === run) || isClean?.(item)));
  if (clean.size === 0) return ranked;
  const least = TAINT_MARGIN + Math.max(...[...clean].map(computeCloseness));
  return ranked.filter((found) => clean.has(found) || computeCloseness(found) > least);
}

/** Ranks say little here, since many memories of one tainted run would take the first ones. */
function computeCloseness({ meaning, words }: FoundMemory): number {
  return (meaning?.cosine ?? 0) + (words?.coverage ?? 0);
}

/** The score with the bonuses for this run and for recent memories. */
function computePreferredScore({ item, score }: FoundMemory, run: string | undefined, now: Date): number {
  const ageMs = Math.max(0, now.getTime() - Date.parse(item.at));
  const own = run !== undefined && item.run === run ? OWN_RUN : 0;
  const fresh = FRESH * 2 ** (-ageMs / HALF_LIFE_MS);
  return Math.min(1, (score * (1 + own + (Number.isNaN(fresh) ? 0 : fresh))) / (1 + OWN_RUN + FRESH));
}

async function omitRepeats(
  ranked: readonly FoundMemory[],
  { search, isProven }: RecallContext,
  { count, findPlaceNow }: RecallOptions,
): Promise<readonly PlacedMemory[]> {
  const kept: PlacedMemory[] = [];
  for (const found of ranked) {
    if (kept.length === count) break;
    const { item, value } = found;
    const repeats = kept.some(
      (other) => other.item.text === item.text || search.computeSimilarity(other.value, value) > SAME,
    );
    if (repeats) continue;
    // The date of a memory that a repository has shipped may be a lie, so its file is looked at.
    const dated = isProven?.(item) ? item : { ...item, at: "" };
    const place = item.kind === "file" && findPlaceNow ? await findPlaceNow(dated) : (item.place ?? "");
    if (place !== undefined) kept.push({ ...found, place });
  }
  return kept;
}

/** A found memory with the place of its text today. */
type PlacedMemory = FoundMemory & { readonly place: string };

function createMemoryHit(
  found: PlacedMemory,
  run: string | undefined,
  { now, isProven, isClean }: RecallContext,
): MemoryHit {
  const { id, kind, text, at } = found.item;
  const age = describeAge(found.item, run, now);
  return {
    id,
    kind,
    text,
    source: formatMemorySource({ ...found.item, place: found.place }),
    ...omitUndefined({ run: found.item.run }),
    at,
    score: Math.round(found.score * 1000) / 1000,
    why: explainMatchToModel(found, age),
    ...(age === undefined ? {} : { reason: explainMatch(found, age) }),
    ...omitUndefined({
      isProven: isProven?.(found.item) || undefined,
      isClean: isClean?.(found.item) || undefined,
    }),
  };
}

/** The best hits that fit into the token limit together. The first one is cut if it doesn't fit. */
function selectFittingHits(hits: readonly MemoryHit[], options: RecallOptions): readonly MemoryHit[] {
  const { maxTokens, countTokens = estimateTokens } = options;
  const kept: MemoryHit[] = [];
  let room = maxTokens;
  for (const hit of hits) {
    const tokens = countTokens(hit.text);
    if (tokens <= room) {
      kept.push(hit);
      room -= tokens;
    } else if (kept.length === 0 && room >= LEAST_TOKENS) {
      const length = Math.floor((hit.text.length * room) / tokens) - 2;
      kept.push({ ...hit, text: `${hit.text.slice(0, length)} …` });
      room = 0;
    }
  }
  return kept;
}

const DAY_MS = 24 * 3600 * 1000;

/** A found memory, decoded. */
type FoundMemory = FusedHit<StoredItem> & { readonly item: MemoryItem };

function explainMatchToModel({ meaning, words }: FoundMemory, age: DisplayText | undefined): string {
  return [
    ...(meaning ? [`${formatOrdinal(meaning.rank)} in meaning (${convertToPercent(meaning.cosine)}%)`] : []),
    ...(words
      ? [`${formatOrdinal(words.rank)} in words (${convertToPercent(words.coverage)}% of the question's)`]
      : []),
    ...(age ? [writeInEnglish(age)] : []),
  ].join(", ");
}

function explainMatch({ meaning, words }: FoundMemory, age: DisplayText): DisplayText {
  const [alike, said] = [convertToPercent(meaning?.cosine ?? 0), convertToPercent(words?.coverage ?? 0)];
  if (said === 100) return displayText("timeline.recalledAllWords", { age });
  if (!words) return displayText("timeline.recalledMeaning", { meaning: alike, age });
  return meaning
    ? displayText("timeline.recalledBoth", { meaning: alike, words: said, age })
    : displayText("timeline.recalledWords", { words: said, age });
}

/** Undefined for a date that can't be read. */
function describeAge(item: MemoryItem, run: string | undefined, now: Date): DisplayText | undefined {
  if (run !== undefined && item.run === run) return displayText("timeline.ofThisRun");
  const days = Math.floor((now.getTime() - Date.parse(item.at)) / DAY_MS);
  if (Number.isNaN(days)) return undefined;
  return days < 1 ? displayText("timeline.ofToday") : displayText("timeline.daysOld", { count: days });
}

function convertToPercent(share: number): number {
  return Math.round(share * 100);
}

function formatOrdinal(rank: number): string {
  if (rank % 100 >= 11 && rank % 100 <= 13) return `${rank}th`;
  return `${rank}${["th", "st", "nd", "rd"][rank % 10] ?? "th"}`;
}

/** A search by the meaning of a query. */
interface MeaningQuery {
  readonly query: string;
  readonly count: number;
  readonly filter?: MemoryFilter | undefined;
  readonly signal: AbortSignal;
}

/** How long a query waits for its vector. After that, only words are searched. */
const EMBED_MS = 4_000;
/** The number of top results that are reordered by their words. */
const MOST_REORDERED = 40;
/** The weight of the closest words relative to the cosine. */
const NEAREST_WEIGHT = 0.8;

/**
 * The memories closest to a query, closest first; none if the embedder doesn't answer in time. If the embedder can compare words, memories
 * with words close to the query's move up.
 */
export async function searchByMeaning(
  asked: MeaningQuery,
  search: MemorySearch,
  embedder: Embedder,
): Promise<readonly Scored<StoredItem>[]> {
  if (search.embedded === 0) return [];
  const { query, count, filter, signal } = asked;
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(EMBED_MS)]);
    const vector = await computeQueryVector(embedder, query, limited);
    const found = vector ? await search.findNearest(vector, count, filter) : [];
    if (!embedder.measureNearness) return found;
    const first = found.slice(0, MOST_REORDERED);
    const texts = first.map(({ value }) => value.read().text);
    const near = await embedder.measureNearness(query, texts, limited);
    const order = first.map((hit, place) => ({ hit, score: hit.score + NEAREST_WEIGHT * (near[place] ?? 0) }));
    order.sort((one, other) => other.score - one.score);
    return [...order.map(({ hit }) => hit), ...found.slice(MOST_REORDERED)];
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EmbeddingError || (error instanceof Error && error.name === "TimeoutError")) return [];
    throw error;
  }
}
