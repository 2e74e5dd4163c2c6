/** Characters shown of one output. */
const MOST_OUTPUT = 4000;

/** A notebook's cells: text as it is, code in fences, outputs as text. */
export function readNotebook(json: string): string {
  const notebook = objectOf(parsed(json));
  const cells = listOf(notebook.cells);
  if (!Array.isArray(notebook.cells)) throw new Error("it isn't a Jupyter notebook");
  const { language_info: info, kernelspec } = objectOf(notebook.metadata);
  const language = textOf(objectOf(info).name) || textOf(objectOf(kernelspec).language) || "python";
  return cells.map((cell, index) => cellText(objectOf(cell), index + 1, language)).join("\n\n");
}

function cellText(cell: Fields, number: number, language: string): string {
  const source = textOf(cell.source);
  if (cell.cell_type !== "code") return `[Cell ${number}]\n${source}`;
  const outputs = listOf(cell.outputs)
    .map((output) => outputText(objectOf(output)))
    .filter((text) => text !== "");
  const shown = outputs.map((text) => `\nOutput:\n${text.trimEnd()}`).join("");
  return `[Cell ${number}]\n\`\`\`${language}\n${source}\n\`\`\`${shown}`;
}

function outputText(output: Fields): string {
  const data = objectOf(output.data);
  const text =
    textOf(output.text) ||
    textOf(data["text/markdown"]) ||
    textOf(data["text/plain"]) ||
    (output.output_type === "error" ? `${textOf(output.ename)}: ${textOf(output.evalue)}` : "");
  return text.length > MOST_OUTPUT ? `${text.slice(0, MOST_OUTPUT)}…` : text;
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error("it isn't a Jupyter notebook, because it isn't JSON");
  }
}

function objectOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Notebooks store text as a whole or line by line. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .filter((line) => typeof line === "string")
    .join("");
}
