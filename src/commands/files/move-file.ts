import {
  type Command,
  createPreparedCall,
  type PrepareContext,
  type PreparedCall,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { type Args, createObjectSchema, FILENAME, getRequiredText } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { createFailure, createSuccess, IN_THE_WAY, NO_FILE, UNCHANGED } from "../outcomes.ts";
import { createTouch, describeMissingFile, findLinkProblem } from "../places.ts";

/** Moves or renames a file, never over another one. */
export function moveFile(workspace: Workspace): Command {
  return {
    name: "move_file",
    aliases: ["rename_file", "rename", "move"],
    category: "files",
    effect: "write",
    traits: {
      titles: [{ code: "MoveFile", from: "source", file: "destination" }],
      question: { code: "moveFile", source: "source", destination: "destination" },
      role: "move",
      rank: 80,
      isLean: true,
      changes: "source",
    },
    description: "Moves or renames a file. Never overwrites.",
    parameters: createObjectSchema(
      {
        source: FILENAME,
        destination: { ...FILENAME, description: "New path, or a folder." },
      },
      ["source", "destination"],
    ),
    argumentAliases: {
      filename: "source",
      file: "source",
      from: "source",
      old_path: "source",
      old_name: "source",
      old_filename: "source",
      source_path: "source",
      to: "destination",
      new_path: "destination",
      new_name: "destination",
      new_filename: "destination",
      target: "destination",
      destination_path: "destination",
    },
    prepare: (args, preparing) => prepare(workspace, args, preparing),
  };
}

async function prepare(workspace: Workspace, args: Args, { signal }: PrepareContext): Promise<PreparedCall | Outcome> {
  const from = await workspace.locate(getRequiredText(args, "source"));
  if (from.kind === "missing") return createFailure(await describeMissingFile(workspace, from.label, signal), NO_FILE);
  if (from.kind !== "file")
    return createFailure(
      `"${from.label}" is not a file. Move files one by one, or a whole folder with execute_shell (mv).`,
    );
  const link = findLinkProblem(from, "Move");
  if (link !== undefined) return createFailure(link);
  const wanted = getRequiredText(args, "destination");
  const named = await workspace.locate(wanted, "new");
  const respelled = findOtherCase(from, named, wanted);
  const isFolder = named.kind === "folder" || (named.kind === "missing" && /[\\/]\s*$/.test(wanted));
  const to = respelled ?? (isFolder ? await locatePlaceInFolder(workspace, named, getBaseName(from.label)) : named);
  const rename = isFolder ? "" : explainMissingFolder(from, to);
  if (to.path === from.path) return createSuccess(`"${from.label}" is there already; nothing was moved.`, UNCHANGED);
  if (to.kind !== "missing")
    return createFailure(
      `"${to.label}" already exists, and nothing is overwritten. Choose another name, or delete it first.`,
      IN_THE_WAY,
    );
  return createPreparedCall(
    "write",
    `Move "${from.label}" to "${to.label}".${rename}`,
    async () => {
      await workspace.move(from, to);
      return createSuccess(`Moved "${from.label}" to "${to.label}".${rename}`, undefined, [
        { file: to.label, change: "created" },
        { file: from.label, change: "deleted" },
      ]);
    },
    {
      touches: [createTouch(from, "delete"), createTouch(to, "write")],
      fresh: async () =>
        (await isAsSeen(workspace, from)) && (respelled !== undefined || (await isAsSeen(workspace, to))),
    },
  );
}

/** The new place if a name differs in its case alone and the system takes it for the same file; undefined for any other. */
function findOtherCase(from: ResolvedPath, named: ResolvedPath, wanted: string): ResolvedPath | undefined {
  const old = getBaseName(from.label);
  const name = /[^\\/]*$/.exec(wanted.trim())?.[0] ?? "";
  const [before, after] = [old.normalize(), name.normalize()];
  const isOther = before !== after && before.toLowerCase() === after.toLowerCase();
  if (!isOther || named.path !== from.path || named.link !== undefined) return undefined;
  const replaceName = (text: string): string => `${text.slice(0, -old.length)}${name}`;
  return {
    ...named,
    path: replaceName(from.path),
    label: replaceName(from.label),
    kind: "missing",
    bytes: 0,
    version: "",
  };
}

/** A sentence on a new name that looks like a folder's; "" for any other. */
function explainMissingFolder(from: ResolvedPath, to: ResolvedPath): string {
  const [old, name] = [getBaseName(from.label), getBaseName(to.label)];
  if (to.kind !== "missing" || name.includes(".") || !old.includes(".")) return "";
  return ` There is no folder "${to.label}", so this is the file's new name. For a folder, the destination is "${to.label}/${old}".`;
}

/** Locates a name in a folder, also under the folder's other names. */
async function locatePlaceInFolder(workspace: Workspace, folder: ResolvedPath, name: string): Promise<ResolvedPath> {
  const place = await workspace.locate(`${folder.path}/${name}`);
  const via = [...(folder.via ?? []).map((link) => `${link}/${name}`), ...(place.via ?? [])];
  return { ...place, ...(via.length > 0 ? { via } : {}) };
}

function getBaseName(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1);
}
