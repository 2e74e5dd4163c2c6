import { randomUUID } from "node:crypto";
import { lstatSync } from "node:fs";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import type { Repository } from "../core/ports/programs.ts";
import { isAtOrBelow } from "../disk/below.ts";
import type { Copy, CopyChange } from "../isolation/copy/copy.ts";
import { listCopyChanges } from "../isolation/copy/copy-changes.ts";
import { createExclusions } from "../isolation/copy/exclusions.ts";
import { isForbiddenName } from "../isolation/review/own-yes.ts";
import { readVersion, readWholeContent } from "../isolation/review/versions.ts";
import { decodeName, encodeName, escapeName, toDiskPath } from "../node/files/byte-names.ts";
import { normalizeSlashes } from "../node/files/real-path.ts";
import { groupBlobs, readBlobs } from "../node/git/blobs.ts";
import type { HarmlessGit } from "../node/git/git.ts";
import { writeBlob } from "../node/git/objects.ts";
import { isBehindLink } from "../runs/store/run-folder.ts";
import { fail } from "../texts/display-text.ts";
import { type CarryPlace, callCarryGit, openCarryGit } from "./run-ref.ts";

/** Larger files don't travel. */
export const MOST_CARRIED_BYTES = 48 * 1024 * 1024;
const NO_BLOB = "0".repeat(40);

/** The files of a copy in git. */
export interface CopyTree {
  readonly tree: string;
  /** Changed files that don't travel, because they may hold secrets or are too large. */
  readonly leftOut: readonly string[];
}

/** A path of a copy that a tree gets. */
interface ChangedPath {
  /** Relative to the root of the repository, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly change: CopyChange;
}

/** Packs a copy, again and again while the run works. What is packed already is only looked at. */
export class CopyPacker {
  private readonly place: CarryPlace;
  private readonly base: string;
  private readonly blobs = new Map<string, { readonly stamp: string; readonly entry: string }>();
  private last: { readonly lines: string; readonly packed: CopyTree } | undefined;

  /** `base`: the commit that the copy was made from. */
  constructor(place: CarryPlace, base: string) {
    this.place = place;
    this.base = base;
  }

  async pack(copy: Copy): Promise<CopyTree> {
    const [root = ""] = copy.visible;
    const changes = await listCopyChanges(copy, this.place.signal);
    const changed = changes.map((change): ChangedPath => {
      const path = join(change.folder.path, change.file);
      return { name: normalizeSlashes(relative(root, path)), path, change };
    });
    const { taken, leftOut } = await this.select(copy, root, changed);
    const lines: string[] = [];
    for (const one of taken) lines.push(`${await this.formatLine(one, root)}\t${one.name}\0`);
    const text = lines.join("");
    if (this.last?.lines === text) return { ...this.last.packed, leftOut };
    const packed = { tree: await writeTree(this.place, this.base, lines), leftOut };
    this.last = { lines: text, packed };
    return packed;
  }

  private async select(
    copy: Copy,
    root: string,
    changed: readonly ChangedPath[],
  ): Promise<{ readonly taken: readonly ChangedPath[]; readonly leftOut: readonly string[] }> {
    const { createFileTest } = await createExclusions(
      copy.folders.map(({ path }) => path),
      [],
      dirname(copy.home),
    );
    const findReason = await createFileTest(
      root,
      changed.map(({ name }) => name),
    );
    const isTaken = ({ name, change: { now } }: ChangedPath): boolean =>
      findReason(name) === undefined &&
      !isForbiddenName(name, process.platform) &&
      now?.kind !== "other" &&
      (now?.bytes ?? 0) <= MOST_CARRIED_BYTES;
    const left = changed.filter((one) => !isTaken(one) && findReason(one.name) !== "ours");
    return { taken: changed.filter(isTaken), leftOut: left.map(({ name }) => escapeName(name)) };
  }

  /** The mode and the blob of a path for git's index, written once for each content. */
  private async formatLine({ path, change: { now } }: ChangedPath, root: string): Promise<string> {
    const stats = now && lstatSync(toDiskPath(path), { throwIfNoEntry: false });
    if (!stats) return `0 ${NO_BLOB}`;
    const stamp = `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino} ${stats.mode}`;
    const known = this.blobs.get(path);
    if (known?.stamp === stamp) return known.entry;
    const entry = await writeFileEntry(this.place.repository, path, root);
    this.blobs.set(path, { stamp, entry });
    return entry;
  }
}

/**
 * Writes a file or a link as it is on the disk. No link is followed, because programs may change the paths at any time. A link into `root`
 * leads to the same file on another machine.
 */
export async function writeFileEntry(repository: Repository, path: string, root: string): Promise<string> {
  const { state, content } = await readVersion(path);
  switch (state.kind) {
    case "file": {
      const bytes = content ?? (await readWholeContent(path, state.hash));
      return `${(state.mode & 0o111) === 0 ? "100644" : "100755"} ${await writeBlob(repository, bytes)}`;
    }
    case "link":
      return `120000 ${await writeBlob(repository, encodeName(convertLink(state.to, path, root)))}`;
    default:
      return `0 ${NO_BLOB}`;
  }
}

function convertLink(to: string, path: string, root: string): string {
  return isAbsolute(to) && isAtOrBelow(to, root) ? relative(dirname(path), to) || "." : to;
}

/** Writes the tree of a commit with some changed paths, given as lines of `git update-index`. */
export async function writeTree(place: CarryPlace, base: string, lines: readonly string[]): Promise<string> {
  const index = join(place.data, "fleet", `index-${randomUUID()}`);
  await mkdir(dirname(index), { recursive: true, mode: 0o700 });
  try {
    const git = await openCarryGit(place, index);
    const own = ["-c", "core.splitIndex=false", "-c", "index.sparse=false"];
    await callCarryGit(git, [...own, "read-tree", ...(base === "" ? ["--empty"] : [base])]);
    const input = Buffer.concat(lines.map((line) => encodeName(line)));
    await callCarryGit(git, [...own, "update-index", "-z", "--index-info"], input);
    return (await callCarryGit(git, ["write-tree", "--missing-ok"])).trim();
  } finally {
    for (const one of [index, `${index}.lock`]) await rm(one, { force: true });
  }
}

/** A path that differs between two trees. */
interface TreeChange {
  readonly name: string;
  /** Mode in the new tree; `000000` for a path that isn't in it. */
  readonly mode: string;
  readonly blob: string;
}

/** Brings a fresh copy of a commit to the state of a carried tree. Throws a sentence for names that no copy may have. */
export async function unpackCopy(
  place: CarryPlace,
  git: HarmlessGit,
  { base, tree, copy }: { readonly base: string; readonly tree: string; readonly copy: Copy },
): Promise<void> {
  const root = copy.visible[0] ?? copy.home;
  const changes = await listTreeChanges(git, base, tree);
  for (const { name } of changes) {
    // A damaged tree can have a link and a folder of one name, so that the removal would follow the link.
    if (isForbiddenName(name, process.platform) || (await isBehindLink(dirname(join(root, name)), root)))
      fail("fleet.badName", { file: escapeName(name) });
    await rm(toDiskPath(join(root, name)), { force: true, recursive: true });
  }
  const added = changes.filter(({ mode }) => mode.startsWith("10") || mode === "120000");
  const sizes = await readSizes(git, added);
  const held = added.map((change) => ({
    change,
    blob: { repository: place.repository, blob: change.blob, bytes: sizes.get(change.blob) ?? 0, isExecutable: false },
  }));
  for (const group of groupBlobs(held, ({ blob }) => blob)) {
    const contents = await readBlobs(group.map(({ blob }) => blob));
    for (const { change } of group)
      await writePath(root, change, contents.get(change.blob) ?? fail("fleet.objectsGone", { blob: change.blob }));
  }
}

async function listTreeChanges(git: HarmlessGit, base: string, tree: string): Promise<readonly TreeChange[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", base, tree];
  const answer = await git(args, { most: 400_000_000, encoding: "latin1" });
  if (!answer.ok) fail("fleet.git", { why: answer.why });
  const fields = answer.text.split("\0");
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = "", , blob = ""] = (fields[at] ?? "").split(" ");
    changes.push({ name: decodeName(Buffer.from(fields[at + 1] ?? "", "latin1")), mode, blob });
  }
  return changes;
}

async function readSizes(git: HarmlessGit, changes: readonly TreeChange[]): Promise<ReadonlyMap<string, number>> {
  const input = changes.map(({ blob }) => `${blob}\n`).join("");
  const listed = await callCarryGit(git, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], input);
  return new Map(
    listed.split("\n").map((line) => {
      const [blob = "", bytes] = line.split(" ");
      return [blob, Number(bytes)];
    }),
  );
}

async function writePath(root: string, { name, mode }: TreeChange, content: Buffer): Promise<void> {
  const path = join(root, name);
  await mkdir(toDiskPath(dirname(path)), { recursive: true });
  if (await isBehindLink(dirname(path), root)) fail("fleet.badName", { file: escapeName(name) });
  if (mode === "120000") return symlink(content, toDiskPath(path));
  await writeFile(toDiskPath(path), content, { flag: "wx" });
  if (mode === "100755") await chmod(toDiskPath(path), 0o755);
}
