import {
  damaged,
  readXml,
  relationId,
  relationsOf,
  TextLines,
  type XmlParts,
  xmlParts,
} from "./xml-parts.ts";

const POWERPOINT = { name: "a PowerPoint presentation", main: "ppt/presentation.xml" };

/** The text of the slides of a PowerPoint presentation in their order, each with its notes. */
export function readPptx(bytes: Uint8Array): string {
  const parts = xmlParts(bytes, POWERPOINT);
  const lines = new TextLines();
  try {
    const paths = slidePaths(parts);
    for (const [at, path] of paths.entries()) {
      const { title, blocks } = slideText(parts[path]);
      lines.gap();
      lines.add(`## Slide ${at + 1} of ${paths.length}${title === "" ? "" : `: ${title}`}`);
      lines.gap();
      addBlocks(lines, blocks);
      const notes = relationsOf(parts, path).find(({ type }) => type === "notesSlide");
      const noted = notes ? slideText(parts[notes.path]).blocks : [];
      if (noted.length === 0) continue;
      lines.gap();
      lines.add("Notes:");
      addBlocks(lines, noted);
    }
  } catch {
    throw new Error(damaged(POWERPOINT));
  }
  return lines.toString();
}

function slidePaths(parts: XmlParts): readonly string[] {
  const relations = new Map(relationsOf(parts, POWERPOINT.main).map(({ id, path }) => [id, path]));
  const paths: string[] = [];
  readXml(parts[POWERPOINT.main], {
    open(name, attributes) {
      const path = name === "sldId" ? relations.get(relationId(attributes) ?? "") : undefined;
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
    else lines.table(block);
  }
}

const TITLES: ReadonlySet<string> = new Set(["title", "ctrTitle"]);
/** Placeholders whose text isn't about anything. */
const FURNITURE: ReadonlySet<string> = new Set(["sldNum", "dt", "ftr", "hdr"]);

function slideText(bytes: Uint8Array | undefined): {
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
    text(more) {
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
