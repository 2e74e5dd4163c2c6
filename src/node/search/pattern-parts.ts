/** A state of a pattern: consumes a character that `isMatch` accepts, or none without it. The last place has no successors. */
interface Place {
  readonly isMatch?: (character: string) => boolean;
  next: readonly Place[];
}

/** A part of a pattern. It creates its places before the following ones, and returns the first. */
export type PatternPart = (after: Place) => Place;

export function matchOne(fits: (character: string) => boolean): PatternPart {
  return (after) => ({ isMatch: fits, next: [after] });
}

/** Matches any number of characters, including none. */
export function matchMany(fits: (character: string) => boolean): PatternPart {
  return (after) => {
    const again: Place = { next: [] };
    again.next = [{ isMatch: fits, next: [again] }, after];
    return again;
  };
}

export function matchLiteral(text: string): PatternPart {
  return matchSequence([...text].map((character) => matchOne((found) => found === character)));
}

export function matchSequence(parts: readonly PatternPart[]): PatternPart {
  return (after) => parts.reduceRight((next, part) => part(next), after);
}

export function matchAny(parts: readonly PatternPart[]): PatternPart {
  return (after) => ({ next: parts.map((part) => part(after)) });
}

/** The places that the beginning of a text can reach, with cached steps for its next characters. */
interface Reached {
  readonly places: readonly Place[];
  readonly isWhole: boolean;
  readonly steps: Map<string, Reached>;
}

/** The most steps to cache at once. */
const MOST_STEPS = 4096;

/**
 * Creates a test of whole texts. It follows all paths through a pattern at once (Thompson, 1968), so time is bounded by the product of the
 * two lengths. Most texts use cached steps, one for each character.
 */
export function createPatternTest(pattern: PatternPart): (text: string) => boolean {
  const last: Place = { next: [] };
  const first = pattern(last);
  const numbers = new Map<Place, number>();
  let known = new Map<string, Reached>();
  let stepCount = 0;

  const getPlaceNumber = (place: Place): number => {
    const number = numbers.get(place) ?? numbers.size;
    numbers.set(place, number);
    return number;
  };
  const findReachedPlaces = (starts: readonly Place[]): Reached => {
    const places = collectOpenPlaces(starts);
    const key = places
      .map(getPlaceNumber)
      .sort((a, b) => a - b)
      .join();
    const reached = known.get(key) ?? { places, isWhole: places.includes(last), steps: new Map() };
    known.set(key, reached);
    return reached;
  };
  const advance = (from: Reached, character: string): Reached => {
    if (stepCount++ >= MOST_STEPS) {
      known = new Map();
      start = findReachedPlaces([first]);
      stepCount = 0;
    }
    const fitting = from.places.filter(({ isMatch }) => isMatch?.(character));
    const reached = findReachedPlaces(fitting.flatMap(({ next }) => next));
    from.steps.set(character, reached);
    return reached;
  };
  let start = findReachedPlaces([first]);
  return (text) => {
    let reached = start;
    for (const character of text) {
      reached = reached.steps.get(character) ?? advance(reached, character);
      if (reached.places.length === 0) return false;
    }
    return reached.isWhole;
  };
}

/** The places that can be reached without consuming a character: those that consume one, and the last place. */
function collectOpenPlaces(starts: readonly Place[]): readonly Place[] {
  const seen = new Set<Place>();
  const waiting = [...starts];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    if (!place.isMatch) waiting.push(...place.next);
  }
  return [...seen].filter(({ isMatch, next }) => isMatch || next.length === 0);
}
