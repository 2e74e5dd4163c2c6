import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** How many tests ran, and how they ended. */
interface Counts {
  readonly passes: number;
  readonly failures: number;
  readonly pending: number;
}

/** A file for the counts of one mocha run in another process. */
export interface CountsFile {
  /** The value of TEST_COUNTS for that process. */
  readonly file: string;
  /** All zero when the run did not come to its end. */
  read(): Counts;
  /** Hands the counts on to the TEST_COUNTS of this process, and deletes the file. */
  close(): void;
}

/** Makes an empty file for counts. */
export function openCounts(): CountsFile {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "counts-"));
  const file = path.join(folder, "counts");
  const text = () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");
  return {
    file,
    read: () => (text() ? JSON.parse(text()) : { passes: 0, failures: 0, pending: 0 }),
    close: () => {
      if (process.env.TEST_COUNTS) fs.appendFileSync(process.env.TEST_COUNTS, text());
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
