/** A name's pattern with stars and question marks in the place of sets in brackets: it fits at least what the shell's pattern fits. */
export function withoutSets(name: string): string {
  const open = name.indexOf("[");
  const close = name.lastIndexOf("]");
  if (open === -1 || close < open) return name;
  const isOneSet = !/[[\]]/.test(name.slice(open + 1, close));
  return `${name.slice(0, open)}${isOneSet ? "?" : "*"}${name.slice(close + 1)}`;
}
