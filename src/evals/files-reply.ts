/** One change that a reply asks for, in the reply's order. */
export type FileChange =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string };

/** A line that begins a change, also as a heading, in bold or in a list. */
const LABEL = /^[\s#>*_-]*(File|Delete|Rename)\s*:[*_\s]*(.+?)[*_\s]*$/i;
const ARROW = /\s+(?:->|→|to)\s+/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Reads whole files out of a reply: `File: PATH` before a fenced block with the file's text, `Delete: PATH`, and `Rename: PATH -> PATH`. A file
 * whose block has no end is left out, since a reply that was cut off doesn't have all of its text.
 */
export function changesInReply(reply: string): readonly FileChange[] {
  const lines = reply.replaceAll("\r\n", "\n").split("\n");
  const changes: FileChange[] = [];
  let named: string | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const fence = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      const [, label = "", given = ""] = LABEL.exec(line) ?? [];
      named = label.toLowerCase() === "file" ? plainPath(given) : line.trim() === "" ? named : undefined;
      changes.push(...withoutText(label, given));
      continue;
    }
    const end = lines.findIndex((other, at) => at > index && closes(other, fence));
    if (end === -1) break;
    const text = lines.slice(index + 1, end).map((one) => `${one}\n`);
    if (named !== undefined) changes.push({ kind: "write", path: named, text: text.join("") });
    named = undefined;
    index = end;
  }
  return changes;
}

/** The change of a line that needs no text after it. */
function withoutText(label: string, given: string): readonly FileChange[] {
  if (/^delete$/i.test(label)) return [{ kind: "delete", path: plainPath(given) }];
  if (!/^rename$/i.test(label)) return [];
  const [path, to, more] = given.split(ARROW).map(plainPath);
  return path === undefined || to === undefined || more !== undefined ? [] : [{ kind: "rename", path, to }];
}

/** A fence ends at the next line that has nothing but as many of its signs, or more. */
function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

/** A path without the quotes or backticks around it. */
function plainPath(given: string): string {
  return given.trim().replace(/^(["'`])(.*)\1$/, "$2");
}
