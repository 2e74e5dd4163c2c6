/** The fields of an object literal, those that may be undefined as optional ones. */
type DefinedFields<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/** The fields that are set, to spread into an object: stored and compared objects have no undefined fields. */
export function omitUndefined<const Fields extends object>(fields: Fields): DefinedFields<Fields> {
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) set[name] = value;
  return set as DefinedFields<Fields>;
}

/** The number of equal items at the start of two lists. */
export function countCommonStart(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one[count] === other[count]) count++;
  return count;
}

/** The number of equal items at the end of two lists, after the first `head` of each. */
export function countCommonEnd(one: readonly unknown[], other: readonly unknown[], head: number): number {
  const most = Math.min(one.length, other.length) - head;
  let count = 0;
  while (count < most && one.at(-1 - count) === other.at(-1 - count)) count++;
  return count;
}
