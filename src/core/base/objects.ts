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
