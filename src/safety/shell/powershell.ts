import type { Node, Parser } from "web-tree-sitter";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { explainOverLimit, parseBounded } from "./limits.ts";
import { createLiteralWord, isReason, type Redirect, type SimpleCommand, UNKNOWN, type Word } from "./reading.ts";
import { createUnreadableLine, describeCall, type ProgramCall, type Reading, type ShellReader } from "./script.ts";

/** A parser for PowerShell. It rejects lines that do anything but call commands by name. */
export function createPowershellReader(parser: Parser): ShellReader {
  const read = (line: string, depth: number): Reading => {
    const beyond = depth > DEEPEST ? displayText("safety.line.shellsNestedTooDeeply") : explainOverLimit(line);
    if (beyond !== undefined) return createUnreadableLine(beyond);
    if (/[‘’‚‛“”„–—―]/.test(line)) return createUnreadableLine(displayText("safety.line.lookalikeCharacters"));
    const commands = parseBounded(parser, line, (root) => readPowershellCommands(root, line));
    if (isReason(commands)) return createUnreadableLine(commands);
    const own = commands.map(describeCall);
    const all = [...own];
    for (const call of own) {
      const inner = findInnerScript(call);
      if (inner === undefined) continue;
      const reading = typeof inner === "string" ? read(inner, depth + 1) : createUnreadableLine(inner);
      if (reading.kind === "unreadable") return reading;
      all.push(...reading.commands);
    }
    const plain = scanPlainPowerShell(line);
    return {
      kind: "script",
      commands: all,
      wrapped: listWrappedCommands(all),
      ...(plain && agree(plain, commands) ? { plain } : {}),
    };
  };
  return { read: (line) => read(line, 0) };
}

const DEEPEST = 4;

/** Commands that `Start-Process` and the like may run. */
function listWrappedCommands(calls: readonly ProgramCall[]): readonly ProgramCall[] {
  return calls
    .filter(({ name }) => /^(?:start-process|saps|start|measure-command|runas|sudo)$/.test(name))
    .flatMap((call) =>
      call.args.slice(0, 11).map((_, at) => describeCall({ ...call, words: call.words.slice(at + 1) })),
    );
}

/** Nodes that run code in other ways than by a command's name. */
const STRANGE = new Set(
  "invokation_expression invokation_foreach_expression type_literal stop_parsing verbatim_command_argument class_statement trap_statement inlinescript_statement attribute cast_expression data_statement parallel_statement sequence_statement enum_statement".split(
    " ",
  ),
);

function readPowershellCommands(root: Node, source: string): readonly SimpleCommand[] | DisplayText {
  if (root.hasError || hasMissing(root)) return displayText("safety.line.invalidPowerShellLine");
  const strange = root.descendantsOfType([...STRANGE])[0];
  if (strange) return displayText("safety.line.unsupportedSyntax", { syntax: strange.type.replaceAll("_", " ") });
  const commands: SimpleCommand[] = [];
  for (const node of root.descendantsOfType("command")) {
    const command = readPowershellCommand(node, source);
    if (isReason(command)) return command;
    commands.push(command);
  }
  return commands;
}

function hasMissing(node: Node): boolean {
  return node.isMissing || node.children.some(hasMissing);
}

function readPowershellCommand(node: Node, source: string): SimpleCommand | DisplayText {
  const children = node.namedChildren;
  const operator = children.find((child) => child.type === "command_invokation_operator");
  const name = children.find((child) => child.type === "command_name" || child.type === "command_name_expr");
  const elements = children.find((child) => child.type === "command_elements")?.namedChildren ?? [];
  if (!name) return displayText("safety.line.runtimeCommandName");
  const isBlock = name.descendantsOfType("script_block_expression").length > 0;
  const first = isBlock ? createLiteralWord("{}") : parseWord(name.text);
  if (first.text.includes(UNKNOWN) || (operator && /[(@]/.test(name.text) && !isBlock))
    return displayText("safety.line.runtimeCommandName");
  const redirects: Redirect[] = [];
  const words: Word[] = [first];
  for (const [index, element] of elements.entries()) {
    if (element.type === "command_argument_sep") continue;
    if (element.type === "redirection" || /^[\d*]?>{1,2}\$null$/.test(element.text))
      redirects.push(parseRedirect(element.text));
    else if (isAttached(elements, index)) words.push(attachValue(words.pop(), element.text));
    else words.push(parseWord(element.text));
  }
  const piped = /\|\s*$/.test(source.slice(Math.max(0, node.startIndex - 20), node.startIndex));
  return { words, assignments: [], redirects, ...(piped ? { input: "stream" as const } : {}) };
}

/** `-Path:x` is one parameter with its value. */
function isAttached(elements: readonly Node[], index: number): boolean {
  return elements[index - 1]?.type === "command_argument_sep" && elements[index - 1]?.text === ":";
}

function attachValue(before: Word | undefined, text: string): Word {
  const value = parseWord(text);
  return { ...value, text: `${before?.text ?? ""}:${value.text}` };
}

function parseRedirect(text: string): Redirect {
  const operator = /^[\d*]?>{1,2}(?:&\d)?|^</.exec(text)?.[0] ?? text;
  return { operator, target: parseWord(text.slice(operator.length).trim()) };
}

/** A word's value, with `UNKNOWN` in place of computed parts. */
function parseWord(source: string): Word {
  const single = /^'((?:[^']|'')*)'$/.exec(source)?.[1];
  if (single !== undefined) return { ...createLiteralWord(single.replaceAll("''", "'")), isQuoted: true };
  const double = /^"((?:[^"$`]|"")*)"$/.exec(source)?.[1];
  if (double !== undefined) return { ...createLiteralWord(double.replaceAll('""', '"')), isQuoted: true };
  const variables = [...source.matchAll(/\$\{?((?:\w+:)?\w+)/g)].map(([, name]) => name ?? "");
  const text = source
    .replace(/`(.)/gs, "$1")
    .replace(/\$\{[^}]*\}|\$(?:\w+:)?\w+/g, UNKNOWN)
    .replace(/[$@]?[({].*[)}]/gs, UNKNOWN)
    .replaceAll('"', "");
  return {
    ...createLiteralWord(text),
    variables,
    isPattern: /[*?[]/.test(source),
    isHome: source.startsWith("~"),
  };
}

/** The text that a command would run as PowerShell, or a sentence that explains why it isn't known. */
function findInnerScript({ name, args, input }: ProgramCall): string | DisplayText | undefined {
  if (
    /^(?:iex|invoke-expression|add-type|new-object|icm|invoke-command|invoke-wmimethod|set-alias|sal|new-alias|nal|register-\w+|start-job|sajb|new-module|import-module|ipmo)$/.test(
      name,
    )
  )
    return joinLiteralScript(name === "iex" || name === "invoke-expression" ? args : []);
  if (/^(?:cmd|bash|sh|wsl|zsh|mshta|wscript|cscript|rundll32|regsvr32|msbuild|installutil)$/.test(name))
    return displayText("safety.line.runsCommandsThrough", { name });
  if (!/^(?:powershell|pwsh)$/.test(name)) return undefined;
  const at = args.findIndex(({ text }) => /^[-/]c(?:o(?:m(?:m(?:a(?:n(?:d)?)?)?)?)?)?$/i.test(text));
  if (at !== -1) return joinLiteralScript(args.slice(at + 1));
  return args.every(({ text }) => /^-(?:version|v|help|nologo|noprofile)$/i.test(text)) && input === undefined
    ? undefined
    : displayText("safety.line.unanalyzablePowerShell");
}

function joinLiteralScript(words: readonly Word[]): string | DisplayText {
  const text = words.map((word) => word.text).join(" ");
  return words.length > 0 && !text.includes(UNKNOWN) ? text : displayText("safety.line.runsRuntimeText");
}

function agree(one: readonly SimpleCommand[], other: readonly SimpleCommand[]): boolean {
  const serializeWords = (commands: readonly SimpleCommand[]): string =>
    JSON.stringify(commands.map((command) => [command.words.map(({ text }) => text), command.redirects.length]));
  return serializeWords(one) === serializeWords(other);
}

const BLANK = /^[ \t]+/;
const OPERATOR = /^(?:&&|\|\||[|;\n])/;
const REDIRECT = /^(?:2>&1|(?:[12*]?>{1,2})[ \t]*\$null)(?=[\s;|]|$)/;
const BARE = /^[\w./\\:*?=+%~^-][\w./\\:*?=+%~^#-]*(?=[\s;|]|$)/;
const QUOTED = /^(?:'[^'\n]*'|"[^"$`\n]*")(?=[\s;|]|$)/;

/** Parses a PowerShell line of commands with plain words, joined by `|`, `;`, `&&`, `||` and line ends. Undefined for anything else. */
function scanPlainPowerShell(line: string): readonly SimpleCommand[] | undefined {
  if (/[^\n\t\x20-\x7e]/.test(line)) return undefined;
  const commands: SimpleCommand[] = [];
  let words: Word[] = [];
  let redirects: Redirect[] = [];
  let joint: string | undefined;
  let rest = line;
  const finish = (): void => {
    if (words.length > 0)
      commands.push({
        words,
        assignments: [],
        redirects,
        ...(joint === "|" ? { input: "stream" as const } : {}),
        ...(joint === undefined || commands.length === 0 ? {} : { joint }),
      });
    words = [];
    redirects = [];
  };
  while (rest !== "") {
    const blank = BLANK.exec(rest)?.[0];
    const operator = OPERATOR.exec(rest)?.[0];
    const redirect = REDIRECT.exec(rest)?.[0];
    if (operator !== undefined) {
      if (words.length === 0 && operator !== "\n") return undefined;
      finish();
      joint = operator === "\n" ? ";" : operator;
    } else if (redirect !== undefined) redirects.push({ operator: redirect, target: createLiteralWord("$null") });
    const word = (blank ?? operator ?? redirect) === undefined ? scanPlainWord(rest, words.length === 0) : undefined;
    const taken = blank ?? operator ?? redirect ?? word?.source;
    if (taken === undefined) return undefined;
    if (word) words.push(word.word);
    rest = rest.slice(taken.length);
  }
  if (words.length === 0 && (joint === "|" || redirects.length > 0)) return undefined;
  finish();
  return commands;
}

function scanPlainWord(rest: string, isName: boolean): { readonly word: Word; readonly source: string } | undefined {
  const quoted = isName ? undefined : QUOTED.exec(rest)?.[0];
  if (quoted !== undefined)
    return { word: { ...createLiteralWord(quoted.slice(1, -1)), isQuoted: true }, source: quoted };
  const source = BARE.exec(rest)?.[0];
  if (source === undefined || source === "--%" || (isName && !/^[A-Za-z][\w.-]*$/.test(source))) return undefined;
  return {
    word: { ...createLiteralWord(source), isPattern: /[*?]/.test(source), isHome: source.startsWith("~") },
    source,
  };
}
