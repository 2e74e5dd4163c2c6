import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { VirtualFileError } from "../../../src/core/ports/virtual-files.ts";
import { FileIndexes } from "../../../src/node/search/file-index.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { demandInBounds, findMatchingFiles } from "../../../src/vscode/workspace/mentions.ts";
import { editorFiles } from "../../../src/vscode/workspace/virtual-files.ts";
import { says } from "../../support/fake-model.ts";
import {
  type Answering,
  type FakeModelServer,
  fakeModelServer,
  json,
  saying,
} from "../../support/fake-model-server.ts";
import { MemoryFiles } from "../../support/memory-files.ts";
import { decideWhenAsked, ourApi, until } from "../our-api.ts";
import { memoryProvider } from "./memory-provider.ts";
import { openFolder } from "./open-folder.ts";

const ALLOW = { allow: true } as const;
const ROOT = vscode.Uri.parse("memfs://cloud/my app");

const BEFORE = {
  "/my app/.autogptignore": "private/\n",
  "/my app/.env": "KEY=secret\n",
  "/my app/old.txt": "old\n",
  "/my app/private/a.txt": "mine\n",
  "/my app/src/a.ts": "const one = 1;\n",
};
const AFTER = {
  "/my app/.autogptignore": "private/\n",
  "/my app/.env": "KEY=secret\n",
  "/my app/notes/plan.md": "# Plan\n",
  "/my app/private/a.txt": "mine\n",
  "/my app/src/a.ts": "const two = 1;\n",
};

type Step = readonly [command: string, args: object];

const READ: Step = ["read_file", { filename: "src/a.ts" }];
const FINISH: Step = ["task_complete", { reason: "Done." }];
const STEPS: readonly Step[] = [
  ["write_to_file", { filename: "notes/plan.md", contents: "# Plan\n" }],
  ["edit_file", { filename: "src/a.ts", edits: [{ search: "one", replace: "two" }] }],
  ["search_files", { pattern: "two" }],
  ["delete_file", { filename: "old.txt" }],
  ["execute_shell", { command_line: "ls" }],
  ["memory_add", { text: "The plan is in notes/plan.md." }],
  READ,
  READ,
  FINISH,
];

describe("a run in a virtual folder", () => {
  const files = new MemoryFiles(BEFORE);
  const settings = vscode.workspace.getConfiguration("autogpt");
  const set = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
    for (const [name, value] of Object.entries(values))
      await settings.update(name, value, vscode.ConfigurationTarget.Global);
  };
  let server: FakeModelServer;
  let served: vscode.Disposable;
  let closeFolder: () => Promise<void>;

  before(async () => {
    served = vscode.workspace.registerFileSystemProvider("memfs", memoryProvider(files));
    closeFolder = await openFolder(ROOT, "cloud");
    server = await fakeModelServer(playing(STEPS));
    await set({
      "model.baseUrl": server.baseUrl,
      "model.smart": "served-model",
      "model.replyFormat": "text",
    });
  });

  after(async () => {
    await set({ "model.baseUrl": undefined, "model.smart": undefined, "model.replyFormat": undefined });
    await closeFolder();
    served.dispose();
    await server.close();
  });

  it("changes its files as diffs, remembers in the storage, meets a vanished provider, and is undone", async () => {
    const api = await ourApi();
    const run = await api.startRun({ task: "Plan the work", folder: ROOT });
    await decideWhenAsked(run, 1, ALLOW);
    const diff = await shownDiff("a.ts");
    await decideWhenAsked(run, 2, ALLOW);
    await decideWhenAsked(run, 4, ALLOW);
    const [provider, name] = [memoryProvider(files), "memfs"];
    const gone = api.onEvent(({ event }) => {
      if (event.type === "ended" && event.step === 6) served.dispose();
      if (event.type === "ended" && event.step === 7)
        served = vscode.workspace.registerFileSystemProvider(name, provider);
    });
    await decideWhenAsked(run, 9, ALLOW);
    await run.end;
    gone.dispose();

    const done = files.texts();
    const outcomes = run.state.recent.map(({ outcome }) => outcome);
    const told = JSON.stringify(server.requests.map(({ body }) => body));
    const stored = (await api.runs()).find(({ id }) => id === run.id);
    const home = path.dirname(path.dirname(stored?.folder ?? "/"));
    await run.undo();
    assert.deepEqual(
      {
        diff,
        done,
        statuses: outcomes.map((outcome) => outcome?.status),
        vanished: /can't be reached|failed at/.test(JSON.stringify(outcomes[6])),
        withheld: told.includes("This workspace is virtual (memfs:)"),
        secret: told.includes("KEY=secret"),
        home: path.basename(path.dirname(home)),
        memory: fs.existsSync(path.join(home, "memory")),
        strays: fs.readdirSync(process.cwd()).filter((one) => one.startsWith("memfs")),
        undone: files.texts(),
        notes: files.tree.has("/my app/notes"),
      },
      {
        diff: ["memfs", "autogpt-proposal"],
        done: AFTER,
        statuses: ["done", "done", "done", "done", "failed", "done", "failed", "done", "finished"],
        vanished: true,
        withheld: true,
        secret: false,
        home: "virtual",
        memory: true,
        strays: [],
        undone: BEFORE,
        notes: false,
      },
    );
  });

  it("has its files offered for mentions, and unsaved texts read where they are", async () => {
    const files = new FileIndexes({ ripgrep: async () => undefined, leftOut: () => false });
    const mentions = await findMatchingFiles("A.t", files);
    await assert.rejects(demandInBounds([vscode.Uri.joinPath(ROOT, "private/a.txt")]), /\.autogptignore/);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(ROOT, "src/a.ts"));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "// typed\n");
    await vscode.workspace.applyEdit(edit);
    server.plan(playing([READ, FINISH]));
    const api = await ourApi();
    const run = await api.startRun({ task: "Read it", folder: ROOT });
    await until(run, ({ recent }) => recent.some(({ outcome }) => outcome !== undefined));
    await decideWhenAsked(run, 2, ALLOW);
    await run.end;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    assert.deepEqual([mentions, /typed/.test(JSON.stringify(run.state.recent[0]?.outcome))], [["src/a.ts"], true]);
  });

  it("distinguishes the failures of providers, whatever they throw", async () => {
    const readOnly = vscode.workspace.registerFileSystemProvider("memro", memoryProvider(new MemoryFiles()), {
      isReadonly: true,
    });
    const broken = new MemoryFiles({ "/a.txt": "1" });
    const throwing = vscode.workspace.registerFileSystemProvider("membad", memoryProvider(broken));
    const failure = async (call: Promise<unknown>) =>
      call.then(
        (result) => result,
        (error: unknown) => (error instanceof VirtualFileError ? error.failure : String(error)),
      );
    // VS Code tells extensions of new file systems a moment later.
    while (vscode.workspace.fs.isWritableFileSystem("memro") === undefined)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const readOnlyReason = editorFiles.readOnlyReason("memro:/a") ?? "";
    const found: unknown[] = [
      writeInEnglish(readOnlyReason),
      editorFiles.readOnlyReason("membad:/a"),
      await failure(editorFiles.stat("membad:/none.txt")),
      await failure(editorFiles.read("membad:/none.txt")),
      await failure(editorFiles.read("nobody:/a.txt")),
      await failure(editorFiles.move("membad:/a.txt", "membad:/a.txt/b")),
      await failure(editorFiles.remove("membad:/a.txt")),
      await failure(editorFiles.write("memro:/a.txt", new Uint8Array())),
    ];
    for (const told of ["denied", "unavailable", "other"] as const) {
      broken.failing = [{ call: "stat", failure: told }];
      found.push(await failure(editorFiles.stat("membad:/a.txt")));
    }
    readOnly.dispose();
    throwing.dispose();
    assert.deepEqual(found.slice(2), [
      undefined,
      "missing",
      "unavailable",
      "other",
      false,
      "denied",
      "denied",
      "unavailable",
      "other",
    ]);
    assert.deepEqual([/read-only/.test(String(found[0])), found[1]], [true, undefined]);
  });
});

/** Proposes one command after the other. The server is asked for its models, too. */
function playing(steps: readonly Step[]): Answering {
  const replies = steps.map(([name, args]) => saying(says(name, args).text ?? ""));
  return ({ path: asked }) => {
    if (!asked.endsWith("/chat/completions")) return json(200, { data: [{ id: "served-model" }] });
    return replies.shift() ?? json(500, { error: { message: "No reply is left." } });
  };
}

/** The schemes of both sides of the diff that opens for a file. */
async function shownDiff(name: string): Promise<readonly string[]> {
  for (;;) {
    for (const { input } of vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs))
      if (input instanceof vscode.TabInputTextDiff && input.modified.path.endsWith(name))
        return [input.original.scheme, input.modified.scheme];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
