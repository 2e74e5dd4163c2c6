import assert from "node:assert/strict";
import { get_encoding } from "tiktoken";
import { createAllCommands } from "../../../../src/commands/all.ts";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import { buildPromptHead, buildStepRequest } from "../../../../src/core/prompt/prompt.ts";
import { createDefaultDirectives } from "../../../../src/core/prompt/prompt-texts.ts";
import type { ReplyForm } from "../../../../src/core/prompt/reply-form.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { golden } from "../../../support/golden.ts";
import { sampleStart, sampleTail } from "../../../support/sample-run.ts";

/** Commands that a fresh installation without skills doesn't have. */
const UNCONFIGURED = /^(read_skill|web_search|download_file|generate_image|read_audio_from_file|send_tweet)$/;

const SPECS = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) })
  .filter(({ name }) => !UNCONFIGURED.test(name))
  .map(({ name, description, parameters, offered = parameters }) => ({
    name,
    description,
    parameters: offered,
  }));

const STARTED = sampleStart({
  commands: SPECS,
  directives: createDefaultDirectives(SPECS.map(({ name }) => name)),
  picture:
    "Linux, bash; Node 24.1.0, Python 3.12.3\nGit: branch main, 2 files changed.\nFiles (in parentheses: number of files below):\n./ README.md, package.json, src/ (5), test/ (1)\nsrc/ ui/ (3), main.ts, new.ts",
});

const FORMS: readonly ReplyForm[] = (["tools", "jsonSchema", "text"] as const).flatMap((format) =>
  (["full", "short"] as const).map((thoughts) => ({ format, thoughts })),
);

/** The sections of a first prompt, each with its tokens; the schema last, because most servers don't put it into the prompt. */
function sections({ messages, tools, schema }: ModelRequest, count: (text: string) => number): readonly string[] {
  const [system, task, tail] = messages.map(({ content }) => content);
  const parts = (system ?? "")
    .split(/\n\n(?=# )/)
    .map((text) => [text.startsWith("# ") ? (/^# (.*)/.exec(text)?.[1] ?? "") : "Identity", text] as const);
  const rows = [
    ...parts,
    ["First user message", task ?? ""] as const,
    ["Last message", tail ?? ""] as const,
    ...(tools ? ([["Tools, as JSON", JSON.stringify(tools)]] as const) : []),
  ];
  const counted = rows.map(([name, text]) => ({ name, tokens: count(text) }));
  const total = counted.reduce((sum, { tokens }) => sum + tokens, 0);
  return [
    ...counted.map(({ name, tokens }) => `${String(tokens).padStart(6)}  ${name}`),
    `${String(total).padStart(6)}  in all`,
    ...(schema ? [`${String(count(JSON.stringify(schema.schema))).padStart(6)}  (Schema, as JSON)`] : []),
  ];
}

describe("the tokens of a first prompt", () => {
  it("are as agreed, section by section, for each form and window", () => {
    const encoding = get_encoding("o200k_base");
    const count = (text: string): number => encoding.encode(text, [], []).length;
    const tables = [128_000, 8_192, 4_096].flatMap((contextWindow) =>
      FORMS.map((form) => {
        const head = buildPromptHead(STARTED, { contextWindow, foundCommands: [] });
        const request = buildStepRequest(head, [], sampleTail(), form);
        return [
          `${form.format}, ${form.thoughts} thoughts, window ${contextWindow}, ${head.commands.length} commands`,
          ...sections(request, count),
        ].join("\n");
      }),
    );
    encoding.free();
    golden("prompt-tokens.txt", tables.join("\n\n"));
  });

  for (const [format, most] of [
    ["files", 350],
    ["text", 700],
    ["jsonSchema", 700],
  ] as const)
    it(`are at most ${most} for a small local model in the format ${format}, and the same for all its runs`, () => {
      const encoding = get_encoding("o200k_base");
      const offer = { contextWindow: 8_192, foundCommands: [], isLean: true };
      const requestOf = (started: typeof STARTED) =>
        buildStepRequest(buildPromptHead(started, offer), [], sampleTail(), { format, thoughts: "short" });
      const { messages, tools } = requestOf(STARTED);
      const text = [...messages.map(({ content }) => content), tools ? JSON.stringify(tools) : ""].join("\n");
      const count = encoding.encode(text, [], []).length;
      encoding.free();
      assert.ok(count <= most, `${count} tokens`);
      const other = {
        ...STARTED,
        id: "other",
        task: "Another task.",
        profile: { ...STARTED.profile, name: "Otto" },
      };
      assert.equal(requestOf(other).messages[0]?.content, messages[0]?.content);
    });
});
