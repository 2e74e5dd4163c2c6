import assert from "node:assert/strict";
import { splitIntoSections } from "../../../../src/runtime/code-search/code-parts.ts";
import { cpuTime } from "../../../support/cpu-time.ts";

/** The names that the parts of a file declare. */
function namesIn(path: string, ...lines: readonly string[]): readonly string[] {
  return splitIntoSections(path, lines.join("\n")).flatMap(({ symbols }) => symbols);
}

describe("parts of files", () => {
  it("are found in one pass beside a heading that a repository has made long, or this would take minutes", () => {
    assert.deepEqual(namesIn("a.md", `# a${" ".repeat(400_000)}x`, "# Pump"), ["Pump"]);
  });

  it("have the names that they declare, in many languages", () => {
    assert.deepEqual(
      {
        ts: namesIn(
          "a.ts",
          "export async function loadAll(): Promise<void> {",
          "  if (ready) {",
          "  }",
          "}",
          "export default class Store<T> extends Base {",
          "  private readonly get size(): number {",
          "    return count(this.items);",
          "  }",
          "}",
          "export const LIMIT: number = 3;",
          "type Name = string;",
        ),
        python: namesIn(
          "a.py",
          "@cached",
          "async def fetch(url):",
          "    return get(url)",
          "class Reader(Base):",
          "    def read(self):",
          "        for x in y:",
          "            pass",
        ),
        go: namesIn("a.go", "func (s *Server) Listen(port int) error {", "}", "type Server struct {", "}"),
        rust: namesIn(
          "a.rs",
          "pub(crate) async fn run<T>(x: T) -> u8 {",
          "}",
          "impl<T> Queue<T> {",
          "}",
          "macro_rules! vec_of {",
          "}",
        ),
        java: namesIn(
          "A.java",
          "public final class Account {",
          "    private static int balanceOf(String name) {",
          "        return lookup(name);",
          "    }",
          "}",
        ),
        csharp: namesIn("A.cs", "public record Person(string Name);", "internal sealed class Mailer", "{", "}"),
        c: namesIn(
          "a.c",
          "static int parse_line(const char *line, int length)",
          "{",
          "  while (length) {",
          "  }",
          "}",
          "struct point {",
          "};",
        ),
        ruby: namesIn("a.rb", "module Billing", "  def self.charge!(amount)", "  end", "end"),
        php: namesIn("a.php", "abstract class Model {", "    public function save(array $data) {", "    }", "}"),
        shell: namesIn("a.sh", "clean_up() {", "  rm -rf out", "}"),
        sql: namesIn("a.sql", "CREATE TABLE orders (", "  id int", ");"),
        markdown: namesIn("a.md", "# Guide", "text", "## Set-up #", "text"),
        json: namesIn("a.json", '{ "class": "type Name" }'),
      },
      {
        ts: ["loadAll", "Store", "size", "LIMIT", "Name"],
        python: ["fetch", "Reader", "read"],
        go: ["Listen", "Server"],
        rust: ["run", "Queue", "vec_of"],
        java: ["Account", "balanceOf"],
        csharp: ["Person", "Mailer"],
        c: ["parse_line", "point"],
        ruby: ["Billing", "self.charge!"],
        php: ["Model", "save"],
        shell: ["clean_up"],
        sql: ["orders"],
        markdown: ["Guide", "Set-up"],
        json: [],
      },
    );
  });

  it("begin with the comment above a declaration, and end before that of the next", () => {
    const body = Array.from({ length: 30 }, (_, index) => `  step(${index});`);
    const text = [
      "/** First. */",
      "function one() {",
      ...body,
      "}",
      "",
      "// Second.",
      "function two() {",
      ...body,
      "}",
    ];
    assert.deepEqual(
      splitIntoSections("a.js", text.join("\n")).map(({ from, to, symbols }) => [from, to, ...symbols]),
      [
        [1, 33, "one"],
        [35, 67, "two"],
      ],
    );
  });

  it("cover every line that isn't blank once, and none has more than 60", () => {
    const text = Array.from({ length: 700 }, (_, index) => (index % 7 === 3 ? "" : `line ${index}`));
    const parts = splitIntoSections("a.txt", text.join("\n"));
    const covered = parts.flatMap((part) => part.text.split("\n")).filter((line) => line !== "");
    assert.deepEqual(
      [covered, Math.max(...parts.map(({ from, to }) => to - from + 1)) <= 60],
      [text.filter((line) => line !== ""), true],
    );
  });

  it("are limited in a file that was made to take long", () => {
    const took = cpuTime();
    const parts =
      splitIntoSections("a.ts", "class A {\n".repeat(100_000)).length +
      splitIntoSections("b.c", `${"a ".repeat(190)}(\n`.repeat(2000)).length;
    assert.deepEqual([parts <= 800, took() < 5000], [true, true]);
  });
});
