import assert from "node:assert/strict";
import { marked } from "marked";
import type { Preview } from "../../../../src/core/commands/command.ts";
import type { ApprovalRequest } from "../../../../src/core/ports/approver.ts";
import {
  type ChatPart,
  createProblemParts,
  escapeAsMarkdown,
  quoteExactMarkdown,
  renderWholeProposal,
} from "../../../../src/editor/chat/chat-parts.ts";
import { displayText } from "../../../../src/texts/display-text.ts";

/** The text and the tags that a reader of Markdown makes of it. */
function rendered(markdown: string): { readonly text: string; readonly tags: readonly string[] } {
  const html = String(marked.parse(markdown));
  const entities: Readonly<Record<string, string>> = {
    lt: "<",
    gt: ">",
    amp: "&",
    quot: '"',
    "#39": "'",
    nbsp: "\u00a0",
  };
  const text = html
    .replace(/<br>/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(\w+|#39);/g, (_all, name) => entities[name] ?? "?");
  return {
    text: text.trim(),
    tags: [...new Set([...html.matchAll(/<(\w+)/g)].map(([, tag = ""]) => tag))].sort(),
  };
}

const NASTY = [
  "![picture](https://evil.example/?secret)",
  "[Approve](command:autogpt.approve)",
  "https://evil.example/path www.evil.example me@evil.example",
  "<img src=x onerror=alert(1)> <!--",
  "a `code` ``` fence",
  "| a | b |\n|---|---|",
  "# heading\n===\n---",
  "1. one\n2) two\n- three\n* four\n+ five\n> six",
  "[a]: https://evil.example\n[a]",
  "&lt;b&gt; \\*not bold\\* **bold** ~~gone~~ $(check)",
];

describe("a model's words in the chat", () => {
  for (const words of NASTY)
    it(`are shown word for word: ${JSON.stringify(words)}`, () => {
      assert.deepEqual(rendered(escapeAsMarkdown(words)), { text: words, tags: ["p"] });
    });

  it("can't change the paragraph after them", () => {
    for (const words of [...NASTY, "```", "<!--", "<details>", "    indented"]) {
      const { tags } = rendered(`${escapeAsMarkdown(words)}\n\n**ours**`);
      assert.equal(tags.includes("strong"), true, words);
    }
  });
});

describe("a text to approve in the chat", () => {
  it("keeps its lines and blanks, and can't end early", () => {
    const text = "rm  'a   b'\n\n    indented\n```\n> quote\n\ttab <b>";
    const { tags, text: shown } = rendered(`${quoteExactMarkdown(text)}**ours**`);
    const kept = "rm  'a   b'\n\u00a0\n    indented\n```\n> quote\n    tab <b>";
    assert.deepEqual(
      { tags, shown: shown.replaceAll("\u00a0", " ") },
      { tags: ["blockquote", "br", "p", "strong"], shown: `${kept}\n\nours`.replaceAll("\u00a0", " ") },
    );
  });
});

/** A request for the approval of something with this preview. */
function request(preview: Preview): ApprovalRequest {
  const call = { name: "execute_shell", args: {} };
  return { step: 3, proposal: { call }, prepared: { preview }, hash: "h" } as unknown as ApprovalRequest;
}

describe("a proposal in the chat", () => {
  it("is whole if it's short, with hidden characters made visible", () => {
    assert.equal(
      renderWholeProposal(request({ kind: "details", text: "echo\u200b one" })),
      "Step 3: execute_shell\n\necho⟨U+200B⟩ one",
    );
  });

  it("isn't shown if it's long, or has a diff", () => {
    const [lines, chars] = ["a\n".repeat(30), "a".repeat(2_000)].map((text) =>
      renderWholeProposal(request({ kind: "details", text })),
    );
    const change = { kind: "change", file: "a.ts", target: "/a.ts", before: "", after: "b" } as const;
    assert.deepEqual(
      [lines, chars, renderWholeProposal(request(change as unknown as Preview))],
      [undefined, undefined, undefined],
    );
  });
});

describe("a problem in the chat", () => {
  it("comes with a button for each action that its sentence names", () => {
    const parts = createProblemParts(displayText("models.nothingSetUp"));
    const button = ({ title, command, args }: Extract<ChatPart, { kind: "button" }>) => [title, command, ...args];
    assert.deepEqual(
      parts.flatMap((part) => (part.kind === "button" ? [button(part)] : [])),
      [
        ["Select model…", "autogpt.selectModel"],
        ["Set API key…", "autogpt.setApiKey", "model"],
      ],
    );
  });
});
