import { BYTES, FIXED32, FIXED64, tag, VARINT } from "./wire.ts";

/** What Vectra lets an item carry beside its vector. */
export type Metadata = Readonly<Record<string, string | number | boolean>>;

/** The fields of Vectra's `index.proto`: of the index, an item, an entry of its metadata, an entry's value. */
export const VERSION = tag(1, VARINT);
export const CONFIG = tag(2, BYTES);
export const ITEM = tag(3, BYTES);
export const ID = tag(1, BYTES);
export const METADATA = tag(2, BYTES);
export const VECTOR = tag(3, BYTES);
export const NORM = tag(4, FIXED64);
export const KEY = tag(1, BYTES);
export const VALUE = tag(2, BYTES);
export const TEXT = tag(1, BYTES);
export const NUMBER = tag(2, FIXED64);
export const BOOLEAN = tag(3, VARINT);
/**
 * Fields of our own, which Vectra's reader passes over. The first of a file says that the last one is a checksum of all
 * before it; a file without either was written by something else and is taken as it is.
 */
export const SEALED = tag(1000, VARINT);
export const CHECKSUM = tag(1001, FIXED32);
/** The embedder of all vectors of a sealed file: its items were checked when it was written and need not be looked into. */
export const EMBEDDER = tag(1002, BYTES);
/** Stands before a vector so that its numbers lie where they can be used as they are. */
export const PADDING = tag(15, BYTES);
