/** A cell as the notebook format stores it. */
export interface TestCell {
  readonly cell_type: "code" | "markdown" | "raw";
  readonly source: readonly string[] | string;
  readonly id?: string;
  readonly metadata?: object;
  readonly outputs?: readonly object[];
  readonly execution_count?: number | null;
}

/** The text of a notebook's file, written as Jupyter does. */
export function notebookText(cells: readonly TestCell[], indent: number | string = 1): string {
  const notebook = {
    cells: cells.map((cell) => ({ metadata: {}, ...cell })),
    metadata: { kernelspec: { name: "python3" }, language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(notebook, null, indent)}\n`;
}

/** A code cell that has run. */
export function codeCell(source: readonly string[] | string, output?: string, id = "c0de"): TestCell {
  const outputs = output === undefined ? [] : [{ name: "stdout", output_type: "stream", text: [output] }];
  return { cell_type: "code", execution_count: output === undefined ? null : 1, id, outputs, source };
}

export function markdownCell(source: readonly string[] | string, id = "da7a"): TestCell {
  return { cell_type: "markdown", id, source };
}
