/** The changes of a segment since its index was written. */
export const SEGMENT_LOG_FILE = "wal.log";
/** The file that stock Vectra opens in a folder. */
export const INDEX_FILE = "index.json";
/** The index of a memory of 0.1.0, in Vectra's other format. It goes once the new one is complete. */
export const OLD_INDEX_FILE = "index.pb";
