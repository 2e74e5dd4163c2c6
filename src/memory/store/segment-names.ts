/** The changes of a segment since its index was written. */
export const SEGMENT_LOG_FILE = "wal.log";
/** A log that is being replaced. It becomes the log again if that was interrupted. */
export const OLD_LOG_FILE = `${SEGMENT_LOG_FILE}.old`;
/** The file that stock Vectra opens in a folder. */
export const INDEX_FILE = "index.json";
/** A copy of a large index in the form that searches need. It's written again whenever it's out of date. */
export const CACHE_FILE = "index.cache";
/** The index of a memory of 0.1.0, in Vectra's other format. It's deleted once the new one is complete. */
export const OLD_INDEX_FILE = "index.pb";
