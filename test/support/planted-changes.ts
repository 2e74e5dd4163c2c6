import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answering, SeenRequest } from "./fake-model-server.ts";
import { saying } from "./fake-model-server.ts";
import { git, makeRepository } from "./repositories.ts";

/** A fault in a change, and how a careless model cites it. */
interface PlantedFault {
  readonly file: string;
  /** The line that has it. */
  readonly line: number;
  readonly text: string;
  readonly cited: { readonly file: string; readonly line?: number | string; readonly code: string };
}

const FILES = 8;
const LINES = 200;

const nameFile = (file: number): string => `src/part${file}/orders${file}.ts`;
const lineBefore = (file: number, line: number): string => `  const old${file}_${line} = read(${line});`;
/** Every second line changes in blocks of ten, so that changes and unchanged lines alternate. */
const isChanged = (line: number): boolean => Math.floor(line / 10) % 3 !== 2;

/** The places of the faults: two or three in each file. */
const PLACES = Array.from({ length: 20 }, (_, index) => ({
  file: index % FILES,
  line: 14 + 60 * Math.floor(index / FILES) + index,
}));

const faultText = (index: number): string =>
  `  if (index${index} <= items.length) total += items[index${index}].price;`;

type Citing = (index: number, line: number, file: string) => PlantedFault["cited"];

/** How models cite: with wrong numbers, and with quotes that aren't copies. */
const WAYS: readonly Citing[] = [
  (index, line, file) => ({ file, line: line + 17, code: faultText(index) }),
  (index, line, file) => ({ file, line: line - 23, code: faultText(index).trim() }),
  (index, line, file) => ({ file, line: line + 400, code: `+${faultText(index)}` }),
  (index, line, file) => ({ file, line: String(line - 2), code: faultText(index).replace(/;$/, "") }),
  (index, line, file) => ({
    file,
    line: line + 3,
    code: `if ( index${index}<=items.length )  total+=items[index${index}].price`,
  }),
  (index, line, file) => ({ file, line, code: `${line} + ${faultText(index).trim()}` }),
  (index, line, file) => ({ file: `b/${file}`, line: line + 9, code: `if (index${index} <= items.length)` }),
  (index, line, file) => ({ file: file.split("/").at(-1) ?? "", line: line + 40, code: faultText(index) }),
  (index, _line, file) => ({ file, code: `\`\`\`ts\n${faultText(index)}\n\`\`\`` }),
  (index, line, file) => ({
    file: `./${file}`,
    line: 1,
    code: `…\n${faultText(index)}\n…\n  const fresh${index % FILES}_${line + 1} = load(${line + 1});`,
  }),
  (index, line, file) => ({ file, line: line + 5, code: faultText(index).replace("items[", "item[") }),
];

const PLANTED: readonly PlantedFault[] = PLACES.map(({ file, line }, index) => {
  const name = nameFile(file);
  const cite = WAYS[index % WAYS.length] as Citing;
  return { file: name, line, text: faultText(index), cited: cite(index, line, name) };
});

/** What no place can be found for. */
const NONSENSE = [
  { file: "src/part9/missing.ts", line: 3, code: "const fresh0_1 = load(1);" },
  { file: nameFile(0), line: 12, code: "await chargeCard(customer, amount);" },
  { file: nameFile(1), line: 40_000, code: "}" },
  { file: nameFile(2), line: 5, code: "" },
];

/** Makes a repository with a change of about 2,000 lines that isn't committed, with 20 faults in it. */
export function plantChanges(folder: string): readonly PlantedFault[] {
  const before = (file: number): string =>
    Array.from({ length: LINES }, (_, index) => `${lineBefore(file, index + 1)}\n`).join("");
  makeRepository(
    folder,
    Object.fromEntries(Array.from({ length: FILES }, (_, file) => [nameFile(file), before(file)])),
  );
  for (let file = 0; file < FILES; file++) {
    const faults = new Map(PLANTED.filter((one) => one.file === nameFile(file)).map((one) => [one.line, one.text]));
    const rows = Array.from({ length: LINES }, (_, index) => {
      const line = index + 1;
      const other = isChanged(line) ? `  const fresh${file}_${line} = load(${line});` : lineBefore(file, line);
      return faults.get(line) ?? other;
    });
    writeFileSync(join(folder, nameFile(file)), `${rows.join("\n")}\n`);
  }
  return PLANTED;
}

/** The changed lines, added and removed, as git counts them. */
export function countChangedLines(folder: string): number {
  const rows = git(folder, "diff", "--numstat", "HEAD").trim().split("\n");
  return rows.map((row) => row.split("\t")).reduce((sum, [added, removed]) => sum + Number(added) + Number(removed), 0);
}

/** A model that finds each planted fault that it's shown, cites carelessly, and makes some up. */
export const carelessReviewer: Answering = (request: SeenRequest) => {
  const shown = JSON.stringify(request.body.messages);
  const found = PLANTED.filter(({ text }) => shown.includes(text.trim())).map(({ cited }) => cited);
  const findings = [...found, ...NONSENSE].map((cited, index) => ({
    severity: ["high", "medium", "low"][index % 3],
    ...cited,
    title: `Off by one (${cited.code.slice(0, 12)})`,
    reason: "The last item doesn't exist.",
    suggestion: "Compare with <.",
  }));
  return saying(JSON.stringify({ findings }));
};
