/** Words as a line of the shell of that name, each quoted where it has to be. */
export function commandLineOf(words: readonly string[], shellName: string): string {
  if (shellName !== "PowerShell") return words.map(posixWord).join(" ");
  const [program = "", ...args] = words;
  return ["&", powerShellText(program), ...args.map(powerShellWord)].join(" ");
}

/** Variables of the environment set for the rest of a line. */
export function withVariables(
  line: string,
  variables: Readonly<Record<string, string>>,
  shellName: string,
): string {
  const set = Object.entries(variables).map(([name, value]) =>
    shellName === "PowerShell" ? `$env:${name}=${powerShellText(value)};` : `${name}=${posixWord(value)}`,
  );
  return [...set, line].join(" ");
}

function posixWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function powerShellWord(word: string): string {
  return /^[\w./\\:-]+$/.test(word) && !word.startsWith("-") ? word : powerShellText(word);
}

function powerShellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
