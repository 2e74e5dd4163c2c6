import { unzipSync } from "fflate";
import { SaxesParser } from "saxes";

/** A format whose files are archives of XML files. */
export interface ArchiveFormat {
  /** The name with an article, for sentences. */
  readonly name: string;
  /** The main file, which every archive of the format contains. */
  readonly main: string;
}

/** The XML files of an archive, by path. */
export type XmlParts = Readonly<Record<string, Uint8Array>>;

/** Maximum size of the unpacked text. */
const MOST_BYTES = 100_000_000;
/** The minimum size to count for a file in the archive, since each takes time. */
const LEAST_BYTES = 10_000;

/**
 * Unpacks the XML files of an archive. No file is unpacked beyond its stated size, and an archive whose stated size is too large is
 * refused.
 */
export function extractXmlParts(bytes: Uint8Array, format: ArchiveFormat): XmlParts {
  let room = MOST_BYTES;
  const parts = extractFiles(bytes, format, ({ name, originalSize }) => {
    if (!/\.(?:xml|rels)$/i.test(name)) return false;
    room -= Math.max(LEAST_BYTES, originalSize);
    if (room < 0) throw new TooLarge("it would be too large unpacked");
    return true;
  });
  if (!(format.main in parts)) throw new Error(`it isn't ${format.name}`);
  return parts;
}

class TooLarge extends Error {}

function extractFiles(
  bytes: Uint8Array,
  format: ArchiveFormat,
  filter: (file: { readonly name: string; readonly originalSize: number }) => boolean,
): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    throw new Error(isLocked(bytes) ? PROTECTED : describeDamagedFile(format));
  }
}

export const PROTECTED = "it is protected by a password";

/** The reason why a damaged file can't be read. */
export function describeDamagedFile({ name }: ArchiveFormat): string {
  return `it isn't ${name}, or it's damaged`;
}

/** True for a document with a password, which Office stores in a container of its old format. */
function isLocked(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (
    file.subarray(0, 4).toString("hex") === "d0cf11e0" && file.includes(Buffer.from("EncryptedPackage", "utf16le"))
  );
}

export type XmlAttributes = Readonly<Record<string, string>>;

/** Receives the parts of an XML file. Element names have no prefixes; attribute names keep theirs. */
export interface XmlReader {
  open(name: string, attributes: XmlAttributes): void;
  close?(name: string): void;
  addText?(text: string): void;
}

/** Reads an XML file. Throws for damaged files, and for files that define entities. */
export function readXml(bytes: Uint8Array | undefined, reader: XmlReader): void {
  if (!bytes) return;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new Error("it has a document type of its own");
  });
  parser.on("opentag", ({ name, attributes }) => reader.open(stripPrefix(name), attributes));
  parser.on("closetag", ({ name }) => reader.close?.(stripPrefix(name)));
  const passText = (more: string): void => reader.addText?.(more);
  parser.on("text", passText);
  parser.on("cdata", passText);
  parser.write(new TextDecoder(detectEncoding(bytes)).decode(bytes)).close();
}

function stripPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function detectEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** A part that another part refers to. */
interface Relation {
  readonly id: string;
  /** The last segment of its type, such as `notesSlide`. */
  readonly type: string;
  /** Its path in the archive. */
  readonly path: string;
}

/** The parts that a given part of an Office document refers to. */
export function readRelations(parts: XmlParts, path: string): readonly Relation[] {
  const relations: Relation[] = [];
  const cut = path.lastIndexOf("/") + 1;
  readXml(parts[`${path.slice(0, cut)}_rels/${path.slice(cut)}.rels`], {
    open(name, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) {
      if (name !== "Relationship" || mode === "External") return;
      relations.push({
        id,
        type: type.slice(type.lastIndexOf("/") + 1),
        path: resolvePartPath(path, target),
      });
    },
  });
  return relations;
}

function resolvePartPath(path: string, target: string): string {
  const base = `part:/${path}`;
  return URL.canParse(target, base) ? new URL(target, base).pathname.slice(1) : target;
}

/** The id with which an element refers to a part. The attribute's name has a prefix. */
export function findRelationId(attributes: XmlAttributes): string | undefined {
  return Object.entries(attributes).find(([name]) => /^[^:]+:id$/.test(name))?.[1];
}

/** The limit for a document's text, in which a part can appear many times. */
const MOST_CHARACTERS = 20_000_000;

/** The lines of a document's text. */
export class TextLines {
  private readonly lines: string[] = [];
  private room = MOST_CHARACTERS;

  add(line: string): void {
    this.room -= line.length + 1;
    if (this.room < 0) throw new Error("its text would be too long");
    this.lines.push(line);
  }

  /** Adds an empty line, unless there is one already. */
  addGap(): void {
    if (this.lines.length > 0 && this.lines.at(-1) !== "") this.add("");
  }

  /** Adds a table in Markdown. Its first row is the header. */
  addTable(rows: readonly (readonly string[])[]): void {
    const [head] = rows;
    if (!head) return;
    this.addGap();
    for (const [at, row] of rows.entries()) {
      this.add(formatTableRow(row));
      if (at === 0) this.add(`|${" --- |".repeat(row.length)}`);
    }
    this.addGap();
  }

  toString(): string {
    return this.lines.join("\n").trim();
  }
}

/** A row of a table as Markdown. */
export function formatTableRow(cells: readonly string[]): string {
  return `|${cells
    .map(
      (cell) =>
        ` ${cell
          .replace(/\s*\n\s*/g, " ")
          .replaceAll("|", "\\|")
          .trim()} |`,
    )
    .join("")}`;
}
