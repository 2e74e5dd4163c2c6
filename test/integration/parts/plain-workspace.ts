import fs from "node:fs";
import path from "node:path";
import type { BinaryFiles, ResolvedPath, Workspace } from "../../../src/core/ports/workspace.ts";
import { inWorkspace } from "./workspace-files.ts";

/** A workspace with no care for anything: what it was asked to do is in `done`. */
export function plainWorkspace(): Workspace & BinaryFiles & { readonly done: readonly string[] } {
  const done: string[] = [];
  const place = (file: string): ResolvedPath => {
    const label = path.relative(inWorkspace("."), file);
    if (label.startsWith("..")) throw new Error("That is outside of the workspace.");
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    const kind = stat ? (stat.isDirectory() ? "folder" : "file") : "missing";
    return { path: file, label, kind, bytes: stat?.size ?? 0, version: String(stat?.mtimeMs ?? "") };
  };
  return {
    done,
    locate: async (name) => place(path.resolve(inWorkspace("."), name)),
    read: async (file) => ({
      kind: "text",
      file: { text: fs.readFileSync(file.path, "utf8"), encoding: "utf-8", bom: false, eol: "\n" },
      version: file.version,
    }),
    write: async (file, { text }) => {
      done.push(`write ${file.label}`);
      fs.writeFileSync(`${file.path}.new`, text);
      fs.renameSync(`${file.path}.new`, file.path);
    },
    readBytes: async (file) => fs.readFileSync(file.path),
    writeBytes: async (file) => void done.push(`write ${file.label}`),
    createFolder: async ({ label }) => void done.push(`create ${label}`),
    move: async (from, to) => void done.push(`move ${from.label} ${to.label}`),
    remove: async ({ label }) => {
      done.push(`remove ${label}`);
      return "";
    },
    list: async () => ({ labels: [], more: false }),
    search: async () => ({ matches: [], more: false }),
  };
}
