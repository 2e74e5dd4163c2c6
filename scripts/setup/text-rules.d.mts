type TextTable = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
type Problems = Readonly<Record<string, readonly string[]>>;

export function englishProblems(texts: TextTable): Problems;
export function unusedCodes(codes: readonly string[], sources: readonly string[]): readonly string[];
export function translationProblems(
  tag: string,
  english: TextTable,
  rows: Readonly<Record<string, { readonly source: TextTable[string]; readonly text: TextTable[string] }>>,
): Problems;
