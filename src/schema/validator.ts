import { Ajv, type Options, type ValidateFunction } from "ajv";
import type { TSchema } from "typebox";
import type { Shape } from "./shape.ts";

/** A check of one shape, with its schema. */
export interface Validator<Value> {
  (value: unknown): value is Value;
  readonly schema: TSchema;
}

/** Tests check the schemas themselves, so that runs needn't wait for it. */
export const AJV_OPTIONS: Options = {
  strict: false,
  strictNumbers: true,
  discriminator: true,
  validateSchema: false,
};

/**
 * Creates a schema's check, which is compiled on first use. A module named `*-validators.ts` exports nothing else: bundles contain it
 * compiled in advance (scripts/validators-plugin.mjs).
 */
export function createValidator<Schema extends TSchema>(schema: Schema): Validator<Shape<Schema>> {
  let compiled: ValidateFunction<Shape<Schema>> | undefined;
  const check = (value: unknown): value is Shape<Schema> => {
    compiled ??= new Ajv(AJV_OPTIONS).compile<Shape<Schema>>(schema);
    return compiled(value);
  };
  return Object.assign(check, { schema });
}
