import { createTableEmbedder } from "../../src/memory/embedding/table-embedder.ts";

/** The table of vectors that ships with the extension. */
export const TABLE_FILE = new URL("../../media/embedding-table.bin", import.meta.url);

/** The embedder of a memory without any settings. */
export function shippedTable() {
  return createTableEmbedder(TABLE_FILE);
}
