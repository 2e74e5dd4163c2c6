import { lstat, mkdir, readdir, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { sha256 } from "../../src/disk/sha256.ts";
import type { Copy, CopyChange, PathState } from "../../src/isolation/copy/copy.ts";
import { type Accepted, acceptChanges, type Choice } from "../../src/isolation/review/accept.ts";
import type { AcceptedPlace } from "../../src/isolation/review/accepted.ts";
import { type AcceptRecord, canWithdraw, withdrawAccept } from "../../src/isolation/review/finish-accept.ts";
import { type Review, type ReviewParts, reviewCopy } from "../../src/isolation/review/review.ts";
import { createFileReplacer } from "../../src/node/files/atomic-write.ts";
import { normalizeSlashes } from "../../src/node/files/real-path.ts";
import type { UndoFiles, UndoResult } from "../../src/runs/undo/undo.ts";
import { plant } from "./trees.ts";

interface KeptPath {
  readonly state: PathState;
  readonly content: Buffer;
}

/** A workspace, its copy, and the review of what differs. The copy is a plain folder, and its base is kept in memory. */
export class ReviewBench {
  readonly work: string;
  readonly copied: string;
  readonly runHome: string;
  /** Records of the acceptances. */
  readonly records: AcceptRecord[] = [];
  private base = new Map<string, KeptPath>();

  private constructor(folder: string) {
    this.work = join(folder, "work");
    this.copied = join(folder, "copy");
    this.runHome = join(folder, "run");
  }

  /** Plants the same files in both. */
  static async make(folder: string, files: Readonly<Record<string, string>>): Promise<ReviewBench> {
    const bench = new ReviewBench(folder);
    for (const one of [bench.work, bench.copied]) {
      await mkdir(one, { recursive: true });
      await plant(one, files);
    }
    await bench.keepBase();
    return bench;
  }

  /** The bench in a folder, for another process. Its base is the folder `base` there. */
  static async open(folder: string): Promise<ReviewBench> {
    const bench = new ReviewBench(folder);
    bench.base = await pathsIn(join(folder, "base"));
    return bench;
  }

  /** Takes the copy as it is for its content at the start. */
  async keepBase(): Promise<void> {
    this.base = await pathsIn(this.copied);
  }

  /** Where acceptances are written, with the seal of a user. */
  get place(): AcceptedPlace {
    return { runHome: this.runHome, origins: [this.work], seal: sha256 };
  }

  get copy(): Copy {
    const folder = { name: "work", origin: this.work, path: this.copied };
    const visible = [this.copied];
    return {
      run: "run",
      home: this.copied,
      folders: [folder],
      visible,
      borrowed: [],
      objects: [],
      notes: [],
    };
  }

  async review(more: Partial<ReviewParts> = {}): Promise<Review> {
    const copy = this.copy;
    return reviewCopy({
      copy,
      changes: more.changes ?? (await this.changes(copy)),
      ...{ runHome: this.runHome, seal: this.place.seal },
      signal: new AbortController().signal,
      readBaseContents: async (wanted) =>
        new Map(wanted.flatMap((one) => [[one, this.base.get(one.file)?.content ?? Buffer.alloc(0)]])),
      ...more,
    });
  }

  accept(
    review: Review,
    choices: Readonly<Record<string, Choice>>,
    files: UndoFiles = createFileReplacer(),
  ): Promise<Accepted> {
    return acceptChanges(review, new Map(Object.entries(choices)), {
      files,
      record: async (result) => void this.records.push(result),
    });
  }

  /** Accepts every change of a new review. */
  async acceptAll(choice: Choice = "result"): Promise<Accepted> {
    const review = await this.review();
    return this.accept(review, Object.fromEntries(review.changes.map(({ label }) => [label, choice])));
  }

  canWithdraw(): Promise<boolean> {
    return canWithdraw(this.place, { files: createFileReplacer(), folder: this.work });
  }

  withdraw(): Promise<UndoResult> {
    return withdrawAccept(this.place, { files: createFileReplacer(), folder: this.work });
  }

  private async changes({ folders: [folder] }: Copy): Promise<readonly CopyChange[]> {
    if (!folder) return [];
    const now = await pathsIn(this.copied);
    return [...new Set([...this.base.keys(), ...now.keys()])].toSorted().flatMap((file) => {
      const [was, is] = [this.base.get(file), now.get(file)];
      if (was && is && isEqual(was, is)) return [];
      return { folder, file, ...(was ? { base: was.state } : {}), ...(is ? { now: is.state } : {}) };
    });
  }
}

function isEqual(one: KeptPath, other: KeptPath): boolean {
  return (
    one.state.kind === other.state.kind &&
    one.state.mode === other.state.mode &&
    one.state.leadsTo === other.state.leadsTo &&
    one.content.equals(other.content)
  );
}

/** All files and links of a folder, with their contents. */
async function pathsIn(folder: string): Promise<Map<string, KeptPath>> {
  const found = new Map<string, KeptPath>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode, size } = await lstat(path);
    const isLink = entry.isSymbolicLink();
    const state: PathState = {
      kind: isLink ? "link" : entry.isFile() ? "file" : "other",
      mode: isLink ? 0 : mode & 0o777,
      bytes: size,
      ...(isLink ? { leadsTo: await readlink(path) } : {}),
    };
    const content = entry.isFile() ? await readFile(path) : Buffer.alloc(0);
    found.set(normalizeSlashes(relative(folder, path)), { state, content });
  }
  return found;
}

/** A folder as one text for each path: the content of files, the target of links, and whether a file is executable. */
export async function treeOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const found = await pathsIn(folder);
  return Object.fromEntries(
    [...found].toSorted().map(([file, { state, content }]) => {
      if (state.kind === "link") return [file, `-> ${state.leadsTo}`];
      return [file, `${content.toString("latin1")}${(state.mode & 0o100) === 0 ? "" : " (x)"}`];
    }),
  );
}
