import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rebuildStepPrompt } from "../../../src/core/prompt/prompt.ts";
import { saying, serverForSuite } from "../../support/fake-model-server.ts";
import { headless } from "../../support/headless.ts";
import { ofType } from "../../support/rehearsal.ts";
import { writeFiles } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();
const TICKS = "```";

const says = (text: string) => saying(text);
const file = (path: string, text: string): string => `File: ${path}\n${TICKS}\n${text}${TICKS}`;

/** Runs a task in whole files with these replies, in a workspace with these files. */
async function run(
  files: Readonly<Record<string, string>>,
  replies: readonly string[],
  { task = "Change it.", flags = ["--continuous", "20"] }: { task?: string; flags?: readonly string[] } = {},
) {
  const workspace = await tempFolder();
  await writeFiles(workspace, files);
  server().plan(...replies.map(says));
  const asked = server().requests.length;
  const at = { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
  const given = ["--task", task, "--json", "--set", "model.replyFormat=files", ...flags];
  const { events } = await headless(at, ...given);
  const text = async (path: string) => readFile(join(workspace, path), "utf8").catch(() => undefined);
  const prompts = server()
    .requests.slice(asked)
    .filter(({ path }) => path.endsWith("/chat/completions"))
    .map(({ body }) => (body as { messages: { role: string; content: string }[] }).messages);
  return { events, text, prompts, workspace, end: ofType(events, "over")[0]?.end };
}

describe("a run in whole files", () => {
  it("shows the files, writes what comes back, and ends", async () => {
    const { events, text, prompts, end } = await run(
      { "a.txt": "one\n", "sub/b.txt": "two\n", ".env": "KEY=hidden\n" },
      [`I add a line.\n\n${file("a.txt", "one\nmore\n")}\n\nDelete: sub/b.txt`],
    );
    const [system, first] = prompts[0] ?? [];
    assert.deepEqual(
      { a: await text("a.txt"), b: await text("sub/b.txt"), end, requests: prompts.length },
      {
        a: "one\nmore\n",
        b: undefined,
        end: { reason: "finished", summary: "I add a line." },
        requests: 1,
      },
    );
    assert.equal(first?.content, `${file("a.txt", "one\n")}\n\n${file("sub/b.txt", "two\n")}\n\nTask: Change it.`);
    assert.doesNotMatch(JSON.stringify(events), /hidden/);
    assert.ok(system && system.content.length < 1_000);
    const steps = ofType(events, "decided").map(({ step, by, allow }) => `${step} ${by} ${allow}`);
    assert.deepEqual(steps, ["1 rule true", "2 continuous true", "3 continuous true", "4 rule true"]);
    assert.deepEqual(
      rebuildStepPrompt(events, 2)?.messages.map(({ content }) => content),
      prompts[0]?.map(({ content }) => content),
    );
  });

  it("shows what failed, and continues from there", async () => {
    const { text, prompts, end } = await run({ "a.txt": "one\n" }, [
      "Rename: missing.txt -> b.txt",
      file("b.txt", "two\n"),
    ]);
    const last = prompts[1]?.at(-1)?.content ?? "";
    assert.deepEqual(
      prompts[1]?.map(({ role }) => role),
      ["system", "user", "assistant", "user"],
    );
    assert.match(last, /^This failed: .*missing\.txt/);
    assert.deepEqual([await text("b.txt"), end?.reason], ["two\n", "finished"]);
  });

  it("reads what isn't shown, and prints what a command printed", async () => {
    const { prompts, end } = await run({ "a.txt": "one\n" }, [
      "Run: echo from a command",
      "Read: a.txt",
      "Nothing is to be done: it says one.",
    ]);
    assert.match(prompts[1]?.at(-1)?.content ?? "", /from a command/);
    assert.match(prompts[2]?.at(-1)?.content ?? "", new RegExp(`^File: a\\.txt\\n${TICKS}\\none\\n${TICKS}`));
    assert.equal(end?.reason, "finished");
  });

  it("asks back once where nothing was done", async () => {
    const { prompts, end } = await run({ "a.txt": "one\n" }, ["It is added.", file("a.txt", "one\ntwo\n")], {
      task: "Add a line to a.txt.",
    });
    assert.match(prompts[1]?.at(-1)?.content ?? "", /^This was not done\. Nothing was changed/);
    assert.equal(end?.reason, "finished");
  });

  it("asks back where every file came back as it was, and doesn't claim changes", async () => {
    const same = file("a.txt", "one\n");
    const { prompts, end } = await run({ "a.txt": "one\n" }, [same, same, same], {
      task: "It should say two.",
    });
    assert.match(prompts[1]?.at(-1)?.content ?? "", /This was not done\. Nothing was changed/);
    assert.deepEqual(
      [prompts.length, end],
      [
        3,
        {
          reason: "finished",
          summary: "Wrote a.txt\n\nNothing was changed: the files are as they were.",
        },
      ],
    );
  });

  it("runs the tests that exist before its end, and goes back if they fail", async () => {
    const test =
      'const { readFileSync } = require("fs"); process.exit(readFileSync("a.txt", "utf8") === "2\\n" ? 0 : 1);';
    const { events, prompts, end } = await run(
      { "a.txt": "0\n", "test.js": test, "package.json": '{ "scripts": { "test": "node test.js" } }\n' },
      [file("a.txt", "1\n"), file("a.txt", "2\n")],
    );
    const ran = ofType(events, "began").map(({ command }) => command);
    assert.deepEqual(ran, [
      ...["read_file", "write_to_file", "run_tests"],
      ...["write_to_file", "run_tests", "task_complete"],
    ]);
    assert.match(prompts[1]?.at(-1)?.content ?? "", /exit code 1|failed/i);
    assert.equal(end?.reason, "finished");
  });

  it("ends where a repair changes nothing, and says what failed", async () => {
    const same = `${file("a.txt", "two\n")}\nRun: false`;
    const { prompts, end } = await run({ "a.txt": "one\n" }, [same, same, "not asked again"]);
    assert.match(prompts[1]?.at(-1)?.content ?? "", /Correct this: give each file that has to change for it, whole\.$/);
    assert.deepEqual([prompts.length, end], [2, { reason: "finished", summary: "This failed: false (exit code 1)." }]);
    const words = await run({ "a.txt": "one\n" }, [same, "It is all right."]);
    assert.deepEqual(words.end, {
      reason: "finished",
      summary: "It is all right.\n\nThis failed: false (exit code 1).",
    });
  });

  it("keeps line ends, the mark at its beginning and the end of a file", async () => {
    const { text, workspace, end } = await run({ "a.txt": "one\r\ntwo", "same.txt": "\ufeffx\r\ny" }, [
      `${file("a.txt", "one\nthree\n")}\n${file("same.txt", "x\ny\n")}`,
    ]);
    assert.deepEqual(
      [await text("a.txt"), await text("same.txt"), end?.reason],
      ["one\r\nthree", "\ufeffx\r\ny", "finished"],
    );
    assert.ok(workspace);
  });

  it("takes another form after three tries, and says so", async () => {
    const wrong = `Here it is:\n${TICKS}\none\n${TICKS}`;
    const { events, end } = await run(
      { "a.txt": "one\n" },
      [
        wrong,
        "Delete: missing.txt",
        "Delete: missing.txt",
        '{"thoughts": {"text": "I end."}, "command": {"name": "task_complete", "args": {"reason": "Nothing is left."}}}',
      ],
      { task: "Look at it." },
    );
    assert.deepEqual(
      ofType(events, "asked").map(({ format }) => format),
      ["files", "files", "files", "jsonSchema"],
    );
    assert.deepEqual(end, { reason: "finished", summary: "Nothing is left." });
  });

  it("begins without files in an empty folder", async () => {
    const { prompts, text } = await run({}, [file("new/a.txt", "one\n")]);
    assert.equal(prompts[0]?.at(-1)?.content, "Task: Change it.");
    assert.equal(await text("new/a.txt"), "one\n");
  });

  it("asks for each change as ever, and stops where one is refused", async () => {
    const { events, text } = await run({ "a.txt": "one\n" }, [`${file("a.txt", "two\n")}\n${file("b.txt", "two\n")}`], {
      flags: [],
    });
    assert.equal(await text("a.txt"), "one\n");
    assert.equal(await text("b.txt"), undefined);
    assert.ok(ofType(events, "decided").some(({ allow }) => !allow));
  });

  it("shows only some files of a large folder: those that the task names", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`m/${index}.txt`, `${index} ${"x".repeat(900)}\n`]),
    );
    const { prompts } = await run({ ...many, "a.txt": "one\n" }, ["Nothing is to be done."], {
      task: "Look at a.txt and m/7.txt.",
    });
    const first = prompts[0]?.at(-1)?.content ?? "";
    assert.match(first, /^File: a\.txt\n/);
    assert.match(first, /File: m\/7\.txt\n/);
    assert.ok(first.length < 20_000);
  });

  it("never shows a file that is a link out of the workspace", async () => {
    const outside = join(await tempFolder(), "secret.txt");
    await writeFile(outside, "from outside\n");
    const workspace = await tempFolder();
    const { symlink } = await import("node:fs/promises");
    await symlink(outside, join(workspace, "link.txt"));
    server().plan(says("Nothing is to be done."));
    const { events } = await headless(
      { baseUrl: server().baseUrl, workspace, data: await tempFolder() },
      ...["--task", "Look at link.txt.", "--json", "--set", "model.replyFormat=files"],
    );
    assert.doesNotMatch(JSON.stringify(events), /from outside/);
  });
});
