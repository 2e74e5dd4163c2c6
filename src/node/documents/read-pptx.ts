import {
  describeDamagedFile,
  extractXmlParts,
  findRelationId,
  readRelations,
  readXml,
  TextLines,
  type XmlParts,
} from "./xml-parts.ts";

const POWERPOINT = { name: "a PowerPoint presentation", main: "ppt/presentation.xml" };

/** The text of a PowerPoint presentation's slides in order, each with its notes. */
export function readPptx(bytes: Uint8Array): string {
  const parts = extractXmlParts(bytes, POWERPOINT);
  const lines = new TextLines();
  try {
    const paths = listSlidePaths(parts);
    for (const [at, path] of paths.entries()) {
      const { title, blocks } = readSlideText(parts[path]);
      lines.addGap();
      lines.add(`## Slide ${at + 1} of ${paths.length}${title === "" ? "" : `: ${title}`}`);
      lines.addGap();
      addBlocks(lines, blocks);
      const notes = readRelations(parts, path).find(({ type }) => type === "notesSlide");
      const noted = notes ? readSlideText(parts[notes.path]).blocks : [];
      if (noted.length === 0) continue;
      lines.addGap();
      lines.add("Notes:");
      addBlocks(lines, noted);
    }
  } catch {
    throw new Error(describeDamagedFile(POWERPOINT));
  }
  return lines.toString();
}

function listSlidePaths(parts: XmlParts): readonly string[] {
  const relations = new Map(readRelations(parts, POWERPOINT.main).map(({ id, path }) => [id, path]));
  const paths: string[] = [];
  readXml(parts[POWERPOINT.main], {
    open(name, attributes) {
      const path = name === "sldId" ? relations.get(findRelationId(attributes) ?? "") : undefined;
      if (path !== undefined) paths.push(path);
    },
  });
  return paths;
}

/** A paragraph, or the rows of a table. */
type Block = string | readonly (readonly string[])[];

function addBlocks(lines: TextLines, blocks: readonly Block[]): void {
  for (const block of blocks) {
    if (typeof block === "string") lines.add(block);
    else lines.addTable(block);
  }
}

const TITLES: ReadonlySet<string> = new Set(["title", "ctrTitle"]);
/** Placeholders for slide numbers, dates, footers and headers. */
const FURNITURE: ReadonlySet<string> = new Set(["sldNum", "dt", "ftr", "hdr"]);

function readSlideText(bytes: Uint8Array | undefined): {
  readonly title: string;
  readonly blocks: readonly Block[];
} {
  const blocks: Block[] = [];
  const title: string[] = [];
  let [placeholder, text, isText] = ["", "", false];
  let rows: string[][] | undefined;
  const endParagraph = (): void => {
    const paragraph = text.replace(/[ \t]+/g, " ").trim();
    text = "";
    if (paragraph === "" || FURNITURE.has(placeholder)) return;
    if (TITLES.has(placeholder)) title.push(paragraph.replace(/\s+/g, " "));
    else blocks.push(paragraph);
  };
  readXml(bytes, {
    open(name, { type = "body" }) {
      if (name === "sp" || name === "graphicFrame") placeholder = "";
      if (name === "ph") placeholder = type;
      if (name === "tbl") rows = [];
      if (name === "tr") rows?.push([]);
      if (name === "br") text += "\n";
      isText = name === "t";
    },
    addText(more) {
      if (isText) text += more;
    },
    close(name) {
      isText = false;
      if (name === "p" && !rows) endParagraph();
      if (name === "p" && rows) text += "\n";
      if (name === "tc") {
        rows?.at(-1)?.push(text);
        text = "";
      }
      if (name === "tbl" && rows) {
        blocks.push(rows);
        rows = undefined;
      }
    },
  });
  return { title: title.join(" "), blocks };
}
