/** A place in a pattern: takes a character that `fits`, or none without it. The last place has nothing after it. */
interface Place {
  readonly fits?: (character: string) => boolean;
  next: readonly Place[];
}

/** A part of a pattern: makes its places in front of those that follow, and returns the first. */
export type PatternPart = (after: Place) => Place;

export function one(fits: (character: string) => boolean): PatternPart {
  return (after) => ({ fits, next: [after] });
}

/** Any number of characters, also none. */
export function many(fits: (character: string) => boolean): PatternPart {
  return (after) => {
    const again: Place = { next: [] };
    again.next = [{ fits, next: [again] }, after];
    return again;
  };
}

export function literal(text: string): PatternPart {
  return sequence([...text].map((character) => one((found) => found === character)));
}

export function sequence(parts: readonly PatternPart[]): PatternPart {
  return (after) => parts.reduceRight((next, part) => part(next), after);
}

export function anyOf(parts: readonly PatternPart[]): PatternPart {
  return (after) => ({ next: parts.map((part) => part(after)) });
}

/** The places that the beginning of a text can lead to, and where its next characters lead from there. */
interface Reached {
  readonly places: readonly Place[];
  readonly isWhole: boolean;
  readonly steps: Map<string, Reached>;
}

/** Steps that are remembered at once. */
const MOST_STEPS = 4096;

/**
 * A test of whole texts. All ways through a pattern are followed at once (Thompson, 1968), so that time is bounded by the product of
 * the two lengths. Most texts take steps that are remembered, one for each character.
 */
export function wholeTest(pattern: PatternPart): (text: string) => boolean {
  const last: Place = { next: [] };
  const first = pattern(last);
  const numbers = new Map<Place, number>();
  let known = new Map<string, Reached>();
  let stepCount = 0;

  const numberOf = (place: Place): number => {
    const number = numbers.get(place) ?? numbers.size;
    numbers.set(place, number);
    return number;
  };
  const reachedFrom = (starts: readonly Place[]): Reached => {
    const places = openPlaces(starts);
    const key = places
      .map(numberOf)
      .sort((a, b) => a - b)
      .join();
    const reached = known.get(key) ?? { places, isWhole: places.includes(last), steps: new Map() };
    known.set(key, reached);
    return reached;
  };
  const step = (from: Reached, character: string): Reached => {
    if (stepCount++ >= MOST_STEPS) {
      known = new Map();
      start = reachedFrom([first]);
      stepCount = 0;
    }
    const fitting = from.places.filter(({ fits }) => fits?.(character));
    const reached = reachedFrom(fitting.flatMap(({ next }) => next));
    from.steps.set(character, reached);
    return reached;
  };
  let start = reachedFrom([first]);
  return (text) => {
    let reached = start;
    for (const character of text) {
      reached = reached.steps.get(character) ?? step(reached, character);
      if (reached.places.length === 0) return false;
    }
    return reached.isWhole;
  };
}

/** The places that take a character, and the last one, that can be reached without a character. */
function openPlaces(starts: readonly Place[]): readonly Place[] {
  const seen = new Set<Place>();
  const waiting = [...starts];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    if (!place.fits) waiting.push(...place.next);
  }
  return [...seen].filter(({ fits, next }) => fits || next.length === 0);
}
