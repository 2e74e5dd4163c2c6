/**
 * Type predicates and what bigger ones are built of. They need no code generation, so they also work where a content
 * security policy forbids it. Objects have exactly the fields named: what is not known is not let through.
 */
export type Check<T> = (value: unknown) => value is T;

/** A field that may be missing. */
export interface Optional<T> {
  readonly optional: Check<T>;
}

/** One check a field; a field that is added to `T` and has none does not compile. */
export type Fields<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Optional<Exclude<T[K], undefined>>
    : Check<T[K]>;
};

/** The one of a union whose tag has this value. */
type Case<T, Tag extends keyof T, Value> = T extends Readonly<Record<Tag, Value>> ? T : never;

/** For each value of a union's tag, the fields beside the tag. */
export type Cases<T extends object, Tag extends keyof T> = {
  readonly [Value in T[Tag] & string]: Fields<Omit<Case<T, Tag, Value>, Tag>>;
};

type LooseObject = Readonly<Record<string, unknown>>;

export const text: Check<string> = (value) => typeof value === "string";
export const flag: Check<boolean> = (value) => typeof value === "boolean";
export const amount: Check<number> = (value): value is number =>
  typeof value === "number" && Number.isFinite(value);
export const whole: Check<number> = (value): value is number => Number.isSafeInteger(value);

/** Any object that is not an array. */
export const record: Check<LooseObject> = (value): value is LooseObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  return (value): value is T => known.has(value);
}

export function listOf<T>(item: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every((entry) => item(entry));
}

export function optional<T>(check: Check<T>): Optional<T> {
  return { optional: check };
}

export function objectOf<T extends object>(fields: Fields<T>): Check<T> {
  const fits = fieldsFit(fields);
  return (value): value is T => record(value) && fits(value);
}

/** One of a union's objects, told apart by the value of its tag. */
export function tagged<T extends object, Tag extends keyof T & string>(
  tag: Tag,
  cases: Cases<T, Tag>,
): Check<T> {
  const fits = new Map(
    Object.entries<object>(cases).map(([value, fields]) => [value, fieldsFit(fields, tag)] as const),
  );
  return (value): value is T => {
    if (!record(value)) return false;
    const name = value[tag];
    return typeof name === "string" && fits.get(name)?.(value) === true;
  };
}

/** True for objects that have each field it names and none besides. */
function fieldsFit(fields: object, tag?: string): (value: LooseObject) => boolean {
  const checks = new Map<string, Check<unknown> | Optional<unknown>>(Object.entries(fields));
  const required = [...checks].filter(([, check]) => typeof check === "function").map(([name]) => name);
  return (value) =>
    required.every((name) => name in value) &&
    Object.entries(value).every(([name, field]) => name === tag || fieldFits(checks.get(name), field));
}

function fieldFits(check: Check<unknown> | Optional<unknown> | undefined, value: unknown): boolean {
  if (check === undefined) return false;
  return typeof check === "function" ? check(value) : value === undefined || check.optional(value);
}
