import { Ajv, type Options, type ValidateFunction } from "ajv";
import type { TSchema } from "typebox";
import type { Shape } from "./shape.ts";

/** A check of one shape, with the schema that it was made from. */
export interface Validator<Value> {
  (value: unknown): value is Value;
  readonly schema: TSchema;
}

/** Tests check the schemas themselves, so no run has to wait for that. */
export const AJV_OPTIONS: Options = {
  strict: false,
  strictNumbers: true,
  discriminator: true,
  validateSchema: false,
};

/**
 * Makes the check of a schema, which the first use compiles. A module named `*-validators.ts` exports nothing else: bundles
 * contain such a module compiled ahead of time (scripts/validators-plugin.mjs).
 */
export function createValidator<Schema extends TSchema>(schema: Schema): Validator<Shape<Schema>> {
  let compiled: ValidateFunction<Shape<Schema>> | undefined;
  const check = (value: unknown): value is Shape<Schema> => {
    compiled ??= new Ajv(AJV_OPTIONS).compile<Shape<Schema>>(schema);
    return compiled(value);
  };
  return Object.assign(check, { schema });
}
