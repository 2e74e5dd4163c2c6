import { omitUndefined } from "../../core/base/objects.ts";
import type { Source } from "../../core/commands/outcome.ts";
import type { WorkspaceMemory } from "../workspace-memory.ts";
import { createDocumentMemories, iterateOwnMemories } from "./documents.ts";
import type { FilePart } from "./used-texts.ts";

/** The most pieces that one run may add. */
const MOST_PIECES = 200;

/** The step that has read a part. */
export interface PartOrigin {
  readonly run: string;
  readonly step: number;
  /** When the step began. */
  readonly at: string;
  readonly sources: readonly Source[];
}

/** A remembered piece of a file. */
interface KnownPiece {
  readonly id: string;
  /** Absent for pieces of whole files that the user added. */
  readonly run?: string;
}

/** The parts of files that a run has read. Parts that are already remembered aren't added again, and earlier versions are replaced. */
export class FileParts {
  private known: Map<string, KnownPiece[]> | undefined;
  private room = MOST_PIECES;

  /** Remembers a part. */
  async keep(memory: WorkspaceMemory, part: FilePart, origin: PartOrigin): Promise<void> {
    if (this.room <= 0) return;
    const { source, fromLine, lines } = part;
    const found = await this.collectSourcePieces(memory, source);
    const isOutdated = found.parts.some((piece) => hasContradiction(piece, part));
    const current = isOutdated ? found.whole : [...found.whole, ...found.parts];
    if (isRemembered(part, current)) return;
    const { step, ...from } = origin;
    const document = { kind: "file", source, text: lines.join("\n"), fromLine, ...from } as const;
    const memories = createDocumentMemories(document).slice(0, this.room);
    const ids = await memory.add(memories.map((one) => ({ ...one, step })));
    this.room -= ids.length;
    const replaced = found.parts.filter((piece) => isOutdated || isRemembered(piece, [part]));
    await this.replace(
      memory,
      source,
      replaced.map(({ id }) => id).filter((id) => !ids.includes(id)),
    );
    const pieces = (await this.index(memory)).get(source) ?? [];
    (await this.index(memory)).set(source, [...pieces, ...ids.map((id) => ({ id, run: origin.run }))]);
  }

  /** Forgets the parts of a file that a run has changed. They wouldn't be recalled anymore but would still take up space. */
  async forget(memory: WorkspaceMemory, source: string): Promise<void> {
    const pieces = (await this.index(memory)).get(source) ?? [];
    await this.replace(
      memory,
      source,
      pieces.filter(({ run }) => run !== undefined).map(({ id }) => id),
    );
  }

  private async replace(memory: WorkspaceMemory, source: string, ids: readonly string[]): Promise<void> {
    // Only the writing window can remove; the next run that reads the file there does.
    if (ids.length === 0 || memory.state.mode !== "writing") return;
    await memory.remove(ids);
    const index = await this.index(memory);
    index.set(
      source,
      (index.get(source) ?? []).filter(({ id }) => !ids.includes(id)),
    );
  }

  private async collectSourcePieces(
    memory: WorkspaceMemory,
    source: string,
  ): Promise<{ whole: Piece[]; parts: Piece[] }> {
    const found: { whole: Piece[]; parts: Piece[] } = { whole: [], parts: [] };
    for (const { id, run } of (await this.index(memory)).get(source) ?? []) {
      const item = await memory.get(id);
      const first = /^lines (\d+) to /.exec(item?.place ?? "")?.[1];
      if (!item || first === undefined) continue;
      const piece = { source, id, fromLine: Number(first), lines: item.text.split("\n") };
      found[run === undefined ? "whole" : "parts"].push(piece);
    }
    return found;
  }

  /** Indexes the memory's pieces in one pass for each run that reads files. */
  private async index(memory: WorkspaceMemory): Promise<Map<string, KnownPiece[]>> {
    if (this.known) return this.known;
    const known = new Map<string, KnownPiece[]>();
    for await (const { id, source, run } of iterateOwnMemories(memory, "file")) {
      const pieces = known.get(source) ?? [];
      pieces.push({ id, ...omitUndefined({ run }) });
      known.set(source, pieces);
    }
    this.known = known;
    return known;
  }
}

interface Piece extends FilePart {
  readonly id: string;
}

/** Whether two parts of a file differ in a line that both contain. A piece can begin or end within a line. */
function hasContradiction(piece: FilePart, part: FilePart): boolean {
  return piece.lines.some((line, at) => {
    const other = findLineText(part, piece.fromLine + at);
    return other !== undefined && !other.includes(line.trim());
  });
}

/** Whether the pieces contain every line of a part at the same line number. */
function isRemembered(part: FilePart, pieces: readonly FilePart[]): boolean {
  return part.lines.every((line, at) => {
    const text = line.trim();
    return text === "" || pieces.some((piece) => findLineText(piece, part.fromLine + at)?.includes(text));
  });
}

function findLineText({ fromLine, lines }: FilePart, line: number): string | undefined {
  return lines[line - fromLine];
}
