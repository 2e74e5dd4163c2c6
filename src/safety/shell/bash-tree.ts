import type { Node } from "web-tree-sitter";
import { omitUndefined } from "../../core/base/objects.ts";
import { type DisplayText, displayText, writeInEnglish } from "../../texts/display-text.ts";
import { type Hole, type Redirect, type SimpleCommand, UNKNOWN, type Word } from "./reading.ts";
import { scanWord } from "./word.ts";

/** Thrown if the tree contains syntax that this parser doesn't support. */
export class UnsupportedSyntax extends Error {
  override readonly name = "UnsupportedSyntax";
  readonly text: DisplayText;

  constructor(text: DisplayText) {
    super(writeInEnglish(text));
    this.text = text;
  }
}

/** All simple commands of a bash syntax tree. Throws `UnsupportedSyntax` rather than leaving anything out. */
export function readCommandTree(root: Node, source: string): readonly SimpleCommand[] {
  return new TreeReader(source).read(root);
}

/** Input and redirections that a command inherits from the syntax around it. */
interface CommandInput {
  readonly input?: "stream";
  readonly redirects: readonly Redirect[];
  readonly fedBy?: readonly SimpleCommand[];
}

const INCOMPLETE = displayText("safety.line.invalidShellPart");

const NO_INPUT: CommandInput = { redirects: [] };

/** Nodes that are words or parts of one. */
const WORDS = new Set(
  "word string raw_string ansi_c_string translated_string concatenation number simple_expansion expansion command_substitution process_substitution arithmetic_expansion brace_expression regex extglob_pattern array".split(
    " ",
  ),
);

/** Nodes that only contain others, each of which runs or may run. */
const CONTAINERS = new Set(
  "program list compound_statement do_group subshell negated_command if_statement elif_clause else_clause while_statement for_statement case_statement case_item function_definition command_substitution process_substitution variable_assignments".split(
    " ",
  ),
);

class TreeReader {
  private readonly source: string;
  private readonly commands: SimpleCommand[] = [];
  /** Commands of substitutions by their start, because a word and its command both need them. */
  private readonly substituted: Map<number, readonly SimpleCommand[]>;

  constructor(source: string, substituted = new Map<number, readonly SimpleCommand[]>()) {
    this.source = source;
    this.substituted = substituted;
  }

  read(root: Node): readonly SimpleCommand[] {
    this.visit(root, NO_INPUT);
    return this.commands;
  }

  private visit(node: Node, around: CommandInput): void {
    if (node.isError || node.isMissing) throw new UnsupportedSyntax(INCOMPLETE);
    if (CONTAINERS.has(node.type)) this.visitContainer(node, around);
    else if (WORDS.has(node.type)) this.pushLooseWords([node]);
    else if (node.type !== "comment") this.visitStatement(node, around);
  }

  private visitStatement(node: Node, around: CommandInput): void {
    switch (node.type) {
      case "pipeline":
        this.visitPipeline(node, around);
        break;
      case "redirected_statement":
        this.visitRedirected(node, around);
        break;
      case "command":
        this.visitCommand(node, around);
        break;
      case "declaration_command":
      case "unset_command":
        this.visitBuiltin(node, around);
        break;
      case "test_command":
        this.test(node, around);
        break;
      case "variable_assignment":
        this.push({ words: [], assignments: [this.readWord(node)], redirects: around.redirects }, [node]);
        break;
      default:
        throw new UnsupportedSyntax(
          displayText("safety.line.unsupportedSyntax", { syntax: node.type.replaceAll("_", " ") }),
        );
    }
  }

  private visitContainer(node: Node, around: CommandInput): void {
    if (node.firstChild?.type === "((") throw new UnsupportedSyntax(displayText("safety.line.arithmeticRunsCommands"));
    const isFunction = node.type === "function_definition";
    for (const child of node.namedChildren) {
      if (child.type === "variable_name" || (isFunction && child.type === "word")) continue;
      if (node.type === "for_statement" && WORDS.has(child.type)) this.pushLooseWords([child]);
      else this.visit(child, around);
    }
  }

  private visitPipeline(node: Node, around: CommandInput): void {
    const start = this.commands.length;
    for (const [index, child] of node.namedChildren.entries()) {
      const fedBy = this.commands.slice(start);
      this.visit(child, index === 0 ? around : { ...around, input: "stream", fedBy });
    }
  }

  private visitRedirected(node: Node, around: CommandInput): void {
    const parts = node.namedChildren;
    const redirects = parts.filter((part) => part.type.endsWith("_redirect"));
    const statements = parts.filter((part) => !part.type.endsWith("_redirect"));
    const inner = this.addRedirects(around, redirects);
    for (const statement of statements) this.visit(statement, inner);
    if (statements.length === 0) this.push({ words: [], assignments: [], ...inner }, []);
  }

  private addRedirects(around: CommandInput, nodes: readonly Node[]): CommandInput {
    const redirects = nodes.flatMap((node) => this.redirect(node));
    const isFed = redirects.some(({ operator }) => operator.includes("<"));
    return {
      ...around,
      redirects: [...around.redirects, ...redirects],
      ...(isFed ? { input: "stream" as const } : {}),
    };
  }

  private redirect(node: Node): readonly Redirect[] {
    const [descriptor] = node.namedChildren.filter((child) => child.type === "file_descriptor");
    const operator = (descriptor?.text ?? "") + (node.children.find((child) => !child.isNamed)?.type ?? "");
    if (node.type === "heredoc_redirect") return this.readHeredoc(node, operator);
    const targets = node.namedChildren.filter((child) => child !== descriptor && child.type !== "file_descriptor");
    this.readSubstitutions(targets);
    return targets.map((target) => ({ operator, target: this.readWord(target) }));
  }

  /** Reads a here-document. Its node contains the rest of the line after the mark: more redirections, and the rest of a pipe. */
  private readHeredoc(node: Node, operator: string): readonly Redirect[] {
    const rest: Redirect[] = [];
    for (const child of node.namedChildren) {
      if (child.type.endsWith("_redirect")) rest.push(...this.redirect(child));
      else if (child.type === "heredoc_body") this.readSubstitutions([child]);
      else if (child.type === "pipeline") this.visit(child, { redirects: [], input: "stream" });
      else if (child.type !== "heredoc_start" && child.type !== "heredoc_end") this.visit(child, NO_INPUT);
    }
    const body = node.namedChildren.find((child) => child.type === "heredoc_body")?.text ?? "";
    return [{ operator, target: createQuotedWord(body) }, ...rest];
  }

  private visitCommand(node: Node, around: CommandInput): void {
    const children = node.namedChildren;
    for (const [index, child] of children.entries()) this.checkGap(children[index - 1], child);
    const redirects = children.filter((child) => child.type.endsWith("_redirect"));
    const assignments = children.filter((child) => child.type === "variable_assignment");
    const words = children.filter((child) => !redirects.includes(child) && !assignments.includes(child));
    const inner = this.addRedirects(around, redirects);
    const command = {
      words: words.map((word) => this.readWord(word)),
      assignments: assignments.map((assignment) => this.readWord(assignment)),
      redirects: inner.redirects,
      ...omitUndefined({ input: inner.input, fedBy: inner.fedBy }),
    };
    this.push(command, [...words, ...assignments]);
  }

  /** Two words with only a line continuation between them are one word to the shell. */
  private checkGap(before: Node | undefined, node: Node): void {
    if (!before || node.type.endsWith("_redirect") || before.type.endsWith("_redirect")) return;
    const gap = this.source.slice(before.endIndex, node.startIndex);
    if (!/^(?:[ \t]|\\\n)*$/.test(gap) || !/[ \t]/.test(gap))
      throw new UnsupportedSyntax(displayText("safety.line.splitWord"));
  }

  private visitBuiltin(node: Node, around: CommandInput): void {
    const words = node.children.filter((child) => child.type !== "comment").map((child) => this.readWord(child));
    this.push({ words, assignments: [], redirects: around.redirects }, node.namedChildren);
  }

  private test(node: Node, { redirects }: CommandInput): void {
    const operators = node.descendantsOfType("test_operator").map((operator) => operator.text);
    const isArithmetic = /\s-(?:eq|ne|lt|le|gt|ge)\s/.test(node.text) && node.text.startsWith("[[");
    if (isArithmetic || operators.includes("-v") || operators.includes("-R") || node.text.startsWith("(("))
      throw new UnsupportedSyntax(displayText("safety.line.testRunsCommands"));
    this.push({ words: this.split(node), assignments: [], redirects }, [node]);
  }

  private split(node: Node): readonly Word[] {
    const text = this.maskExpansions(node);
    const words: Word[] = [];
    for (let at = 0; at < text.length; ) {
      const scanned = scanWord(text, at);
      if (!scanned) throw new UnsupportedSyntax(displayText("safety.line.unsupportedTest"));
      if (scanned.end > at) words.push(scanned.word);
      at = Math.max(scanned.end, at + 1);
    }
    return words;
  }

  private push(command: SimpleCommand, parts: readonly Node[]): void {
    this.commands.push(command);
    this.readSubstitutions(parts);
  }

  private pushLooseWords(nodes: readonly Node[]): void {
    this.push({ words: [], assignments: nodes.map((node) => this.readWord(node)), redirects: [] }, nodes);
  }

  /** Reads the commands in words, and rejects expansions that do more than expand. */
  private readSubstitutions(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (node.isError || node.isMissing) throw new UnsupportedSyntax(INCOMPLETE);
      if (node.type === "command_substitution" || node.type === "process_substitution")
        this.commands.push(...this.readInside(node));
      else {
        checkExpansion(node);
        if (node.type === "expansion" && !isSimpleBraces(node)) this.pushReplacements(node);
        this.readSubstitutions(node.namedChildren);
      }
    }
  }

  /** The commands of a substitution. */
  private readInside(node: Node): readonly SimpleCommand[] {
    const known = this.substituted.get(node.startIndex);
    if (known) return known;
    const reader = new TreeReader(this.source, this.substituted);
    reader.visitContainer(node, NO_INPUT);
    this.substituted.set(node.startIndex, reader.commands);
    return reader.commands;
  }

  /** Words that an expansion may substitute for a variable, as in `${x:-.env}`. */
  private pushReplacements({ namedChildren }: Node): void {
    const words = namedChildren.filter(({ type }) => WORDS.has(type));
    if (words.length > 0)
      this.commands.push({ words: [], assignments: words.map((word) => this.readWord(word)), redirects: [] });
  }

  /** The word of a node, with its expansions as `UNKNOWN`. */
  private readWord(node: Node): Word {
    const masked = this.maskExpansions(node);
    const scanned = scanWord(masked, 0);
    const word =
      !scanned || scanned.end < masked.length
        ? { ...createQuotedWord(masked), isQuoted: false, isPattern: true }
        : scanned.word;
    const holes = listOutermostExpansions(node).map((hole) => this.readHole(hole));
    return holes.length === 0 ? word : { ...word, holes };
  }

  private readHole(node: Node): Hole {
    switch (node.type) {
      case "command_substitution":
        return { kind: "printed", commands: this.readInside(node) };
      case "process_substitution":
        return { kind: "file", commands: this.readInside(node) };
      case "arithmetic_expansion":
        return { kind: "number" };
      default:
        return { kind: "changed" };
    }
  }

  /** A node's source with `UNKNOWN` in place of parts that are only known at run time. */
  private maskExpansions(node: Node): string {
    const { startIndex, endIndex } = node;
    const holes = listOutermostExpansions(node).sort((a, b) => a.startIndex - b.startIndex);
    let text = "";
    let at = startIndex;
    for (const hole of holes) {
      text += this.source.slice(at, hole.startIndex) + UNKNOWN;
      at = hole.endIndex;
    }
    return text + this.source.slice(at, endIndex);
  }
}

const HOLES = new Set(["command_substitution", "process_substitution", "arithmetic_expansion", "expansion", "array"]);

function listOutermostExpansions(node: Node): Node[] {
  if (HOLES.has(node.type) && !isSimpleBraces(node)) return [node];
  return node.namedChildren.flatMap(listOutermostExpansions);
}

/** `${NAME}` is as simple as `$NAME`. */
function isSimpleBraces(node: Node): boolean {
  return node.type === "expansion" && /^\$\{\w+\}$/.test(node.text);
}

/** Some expansions assign, or evaluate a variable's value as a name or prompt; arithmetic evaluates variables too. */
function checkExpansion(node: Node): void {
  if (node.type === "expansion") {
    const operators = node.children.filter((child) => !child.isNamed).map((child) => child.type);
    if (operators.some((operator) => ["!", "@", "=", ":=", "*"].includes(operator)) && !isSimpleBraces(node))
      throw new UnsupportedSyntax(displayText("safety.line.expansionRunsCommands"));
  }
  const calculates = node.type === "arithmetic_expansion" || node.type === "subscript";
  if (
    calculates &&
    node.descendantsOfType(["variable_name", "word", "simple_expansion", "expansion", "string", "raw_string"]).length >
      0
  )
    throw new UnsupportedSyntax(displayText("safety.line.variableArithmetic"));
}

function createQuotedWord(text: string): Word {
  return { text, isPattern: false, isBraced: false, isHome: false, variables: [], isQuoted: true };
}
