import assert from "node:assert/strict";
import { resolveUri } from "../../../../src/core/base/uri-path.ts";
import type { TextFile } from "../../../../src/core/ports/workspace.ts";
import { explainVirtualExclusion } from "../../../../src/runtime/virtual/places.ts";
import { createVirtualWorkspace } from "../../../../src/runtime/virtual/virtual-workspace.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

const { signal } = new AbortController();
const PLAIN: Omit<TextFile, "text"> = { encoding: "utf-8", bom: false, eol: "\n" };

function open(...given: ConstructorParameters<typeof MemoryFiles>) {
  const files = new MemoryFiles(...given);
  const folders = [{ name: "app", path: "mem:/app" }];
  return { files, folders, workspace: createVirtualWorkspace({ files, listFolders: () => folders }) };
}

/** The message that something fails with, or its result. */
async function toldBy(action: Promise<unknown>): Promise<unknown> {
  return action.catch((error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : error));
}

describe("the paths of a virtual workspace", () => {
  it("are relative to its folder, or whole URI paths", async () => {
    const { workspace } = open({ "/app/src/a b.ts": "1" });
    const places = await Promise.all(
      ["src/a b.ts", "./src//a b.ts", "lib/../src/a b.ts", "mem:/app/src/a b.ts", "mem:///app/src/a b.ts"].map((path) =>
        workspace.locate(path),
      ),
    );
    assert.deepEqual(
      places.map(({ path, label, kind }) => `${kind} ${label} ${path}`),
      places.map(() => "file src/a b.ts mem:/app/src/a b.ts"),
    );
  });

  it("can't leave it, go through a link, or be spelled so that a provider might read them differently", async () => {
    const { workspace } = open({
      "/app/a.txt": "1",
      "/secret.txt": "2",
      "/app/link": { link: true },
      "/app/link/x.txt": "3",
      "/apps/x.txt": "4",
    });
    const paths = [
      "../secret.txt",
      "mem:/secret.txt",
      "mem://other/app/a.txt",
      "other:/app/a.txt",
      "mem:/apps/x.txt",
      "/app/a.txt",
      "link",
      "link/x.txt",
      "link/new.txt",
      "..%2fsecret.txt",
      "%2e%2e/secret.txt",
      "..\\secret.txt",
      "a.txt\u0000",
      "a\n.txt",
    ];
    const told = await Promise.all(paths.map((path) => toldBy(workspace.locate(path, "new"))));
    assert.deepEqual(
      told.map((one, index) => [
        paths[index],
        String(one).replace(/^.*(outside|link|NUL|backslash|escaped|control).*$/s, "$1"),
      ]),
      [
        ...paths.slice(0, 6).map((path) => [path, "outside"]),
        ...paths.slice(6, 9).map((path) => [path, "link"]),
        ["..%2fsecret.txt", "escaped"],
        ["%2e%2e/secret.txt", "escaped"],
        ["..\\secret.txt", "backslash"],
        ["a.txt\u0000", "NUL"],
        ["a\n.txt", "control"],
      ],
    );
  });

  it("are out of bounds or ignored as the ignore files say, and out of bounds where those can't be read", async () => {
    const { workspace, files } = open({
      "/app/.autogptignore": "private/\n",
      "/app/.gitignore": "*.log\n",
      "/app/private/key.txt": "1",
      "/app/a.log": "2",
      "/app/a.txt": "3",
    });
    const look = async () => [
      String(await toldBy(workspace.locate("private/key.txt"))).includes("out of bounds"),
      (await workspace.locate("a.log")).ignored,
      String(await toldBy(workspace.locate("a.txt"))).includes("out of bounds"),
    ];
    const before = await look();
    files.failing = [{ call: "read", path: "/app/.autogptignore", failure: "other" }];
    assert.deepEqual(
      [before, String(await toldBy(workspace.locate("a.txt"))).includes("out of bounds")],
      [[true, true, false], true],
    );
  });

  it("can be mentioned in a task unless they're ignored, outside, or the ignore files can't be read", async () => {
    const { files, folders } = open({
      "/app/.autogptignore": "own/\n",
      "/app/.gitignore": "*.log\n",
      "/app/own/x": "",
      "/app/a.ts": "",
    });
    const why = () =>
      Promise.all(
        ["a.ts", "own/x", "b.log", "../x"].map((path) =>
          explainVirtualExclusion(resolveUri("mem:/app", path), folders, files),
        ),
      );
    const before = await why();
    files.failing = [{ call: "stat", failure: "unavailable" }];
    assert.deepEqual(
      [before, await why()],
      [
        [undefined, "agent", "git", "outside"],
        ["agent", "agent", "agent", "outside"],
      ],
    );
  });

  it("name the folder in a workspace of several, also of two with one name", async () => {
    const { files, folders, workspace } = open({ "/app/a.txt": "1", "/lib/b.txt": "2", "/x/lib/c.txt": "3" });
    folders.push({ name: "lib", path: "mem:/lib" }, { name: "lib", path: "mem:/x/lib" });
    const { labels } = await workspace.list(await workspace.locate("."), { limit: 9, signal });
    const again = await Promise.all(labels.map(async (label) => (await workspace.locate(label)).path));
    const found = await workspace.locate("c.txt");
    folders.splice(1, 1);
    assert.deepEqual(
      {
        labels,
        again,
        found: found.label,
        closed: await toldBy(workspace.locate("mem:/lib/b.txt")),
        calls: files.calls > 0,
      },
      {
        labels: ["a.txt", "lib (2)/c.txt", "lib/b.txt"],
        again: ["mem:/app/a.txt", "mem:/x/lib/c.txt", "mem:/lib/b.txt"],
        found: "lib (2)/c.txt",
        closed:
          'WorkspaceError: "mem:/lib/b.txt" leads outside the workspace ("mem:/app", "mem:/x/lib"). Only files below it can be used; give a path relative to it.',
        calls: true,
      },
    );
  });
});

describe("the files of a virtual workspace", () => {
  it("keep their form on a change, and are created with their folders", async () => {
    const { workspace, files } = open({ "/app/latin.txt": Buffer.from("Gr\xf6\xdfe\r\n", "latin1") });
    const place = await workspace.locate("latin.txt");
    const content = await workspace.read(place);
    assert.ok(content.kind === "text");
    await workspace.write(place, { ...content.file, text: `${content.file.text}ä\r\n` });
    await workspace.write(await workspace.locate("new/b.txt", "new"), { ...PLAIN, text: "ü\n" });
    assert.deepEqual(
      [Buffer.from(await files.read("mem:/app/latin.txt")).toString("latin1"), files.text("/app/new/b.txt")],
      ["Gr\xf6\xdfe\r\n\xe4\r\n", "ü\n"],
    );
  });

  it("are never overwritten when they changed, appeared or vanished in the meantime", async () => {
    const { workspace, files } = open({ "/app/changed": "one", "/app/gone": "one" });
    const places = await Promise.all(["changed", "gone", "appeared"].map((path) => workspace.locate(path, "new")));
    files.set("/app/changed", "two");
    files.set("/app/appeared", "two");
    files.tree.delete("/app/gone");
    const told = [];
    for (const place of places) told.push(await toldBy(workspace.write(place, { ...PLAIN, text: "mine" })));
    told.push(await toldBy(workspace.remove({ ...places[0], path: "mem:/app/changed" } as never)));
    assert.deepEqual(
      [told.map((one) => /in the meantime/.test(String(one))), files.texts()],
      [[true, true, true, true], { "/app/appeared": "two", "/app/changed": "two" }],
    );
  });

  it("move without overwriting, and go to the trash if there is one", async () => {
    const { workspace, files } = open({ "/app/a": "1", "/app/b": "2", "/app/c": "3", "/app/d": "4" });
    const at = (path: string) => workspace.locate(path, "new");
    await workspace.move(await at("a"), await at("sub/a"));
    const over = await toldBy(workspace.move(await at("b"), await at("c")));
    const kept = await workspace.remove(await at("c"));
    files.hasTrash = true;
    assert.deepEqual(
      { over, kept, trash: await workspace.remove(await at("d")), texts: files.texts() },
      {
        over: 'WorkspaceError: "c" already exists. Choose another name.',
        kept: "Its content is kept with the run, so it can be undone.",
        trash: "It is in the trash.",
        texts: { "/app/b": "2", "/app/sub/a": "1" },
      },
    );
  });

  it("can't be changed in a read-only file system", async () => {
    const { workspace, files } = open({ "/app/a": "1" });
    files.readOnly = true;
    const place = await workspace.locate("a");
    const told = await Promise.all(
      [workspace.write(place, { ...PLAIN, text: "2" }), workspace.remove(place), workspace.move(place, place)].map(
        toldBy,
      ),
    );
    assert.deepEqual(
      [new Set(told), files.texts()],
      [new Set([`WorkspaceError: "a" was left unchanged: ${files.readOnlyReason()}`]), { "/app/a": "1" }],
    );
  });

  it("can't be changed where they're read-only themselves", async () => {
    const { workspace, files } = open({ "/app/a": "1", "/app/b": "1" });
    files.locked.add("/app/a");
    const [a, b] = [await workspace.locate("a"), await workspace.locate("b")];
    const told = [await toldBy(workspace.write(a, { ...PLAIN, text: "2" })), await toldBy(workspace.remove(a))];
    await workspace.write(b, { ...PLAIN, text: "2" });
    assert.deepEqual(
      [new Set(told), files.texts()],
      [
        new Set(['WorkspaceError: "a" is read-only, so it was left unchanged. Choose another file, or tell the user.']),
        { "/app/a": "1", "/app/b": "2" },
      ],
    );
  });

  it("have a sentence for each failure of their provider", async () => {
    const { workspace, files } = open({ "/app/a": "1" });
    const told: unknown[] = [];
    for (const failure of ["unavailable", "denied", "other"] as const) {
      files.failing = [{ call: "stat", failure, message: "No\nprovider\u202e." }];
      told.push(await toldBy(workspace.locate("a")));
    }
    assert.deepEqual(told, [
      "WorkspaceError: \"a\" can't be reached: the workspace's file system doesn't answer (No provider⟨U+202E⟩). Ask the user to check its connection, then try again.",
      'WorkspaceError: The workspace\'s file system denies access to "a" (No provider⟨U+202E⟩). Choose another file, or ask the user to change its permissions.',
      'WorkspaceError: The workspace\'s file system failed at "a" (No provider⟨U+202E⟩). Look at the file again before you go on, or tell the user.',
    ]);
  });
});

describe("looking through a virtual workspace", () => {
  const many = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`/app/f${index % 20}/${index}.txt`, `line\nneedle ${index}\n`]),
  );

  it("lists level by level without ignored and hidden entries", async () => {
    const { workspace } = open({
      "/app/.gitignore": "out/\n",
      "/app/out/x.js": "",
      "/app/node_modules/a.js": "",
      "/app/src/.autogptignore": "own.ts\n",
      "/app/src/own.ts": "",
      "/app/src/a.ts": "",
      "/app/b.md": "",
      "/app/link": { link: true },
    });
    const all = await workspace.list(await workspace.locate("."), { limit: 9, signal });
    const few = await workspace.list(await workspace.locate("."), { limit: 2, signal });
    const typed = await workspace.list(await workspace.locate("src"), { glob: "*.ts", limit: 9, signal });
    assert.deepEqual(
      { all, few, typed },
      {
        all: {
          labels: [".gitignore", "b.md", "link", "src/", "src/.autogptignore", "src/a.ts"],
          more: false,
        },
        few: { labels: [".gitignore", "b.md"], more: true },
        typed: { labels: ["src/a.ts"], more: false },
      },
    );
  });

  it("searches with many calls in flight, in order, up to the limit", async () => {
    const { workspace, files } = open(many);
    const { matches, more } = await workspace.search(await workspace.locate("."), {
      pattern: "needle",
      regex: false,
      limit: 60,
      signal,
    });
    const sorted = matches.map(({ label }) => label);
    assert.deepEqual(
      {
        count: matches.length,
        more,
        first: matches[0],
        atOnce: files.mostAtOnce >= 8 && files.mostAtOnce <= 32,
        isSorted: sorted.join(),
      },
      {
        count: 60,
        more: true,
        first: { label: "f0/0.txt", line: 2, text: "needle 0" },
        atOnce: true,
        isSorted: sorted.toSorted((one, other) => sorted.indexOf(one) - sorted.indexOf(other)).join(),
      },
    );
  });

  it("counts what it leaves out, and prefers texts in editors", async () => {
    const files = new MemoryFiles({
      "/app/.gitignore": "out\n",
      "/app/out/a.txt": "needle",
      "/app/a.env": "needle",
      "/app/big.txt": "x".repeat(3 * 1024 * 1024),
      "/app/bin": Uint8Array.from([0, 1, 2]),
      "/app/open.txt": "on disk",
      "/app/broken.txt": "needle",
    });
    files.failing = [{ call: "read", path: "/app/broken.txt", failure: "other" }];
    const text = { ...PLAIN, text: "the needle in an editor" };
    const workspace = createVirtualWorkspace({
      files,
      listFolders: () => [{ name: "app", path: "mem:/app" }],
      isLeftOut: (relative) => relative.endsWith(".env"),
      unsaved: {
        listTextsBelow: () => [
          {
            path: "mem:/app/open.txt",
            read: () => ({ kind: "text", file: text, version: "editor:1" }),
            replace: async () => true,
          },
        ],
      },
    });
    const result = await workspace.search(await workspace.locate("."), {
      pattern: "nee.le",
      regex: true,
      limit: 9,
      signal,
    });
    assert.deepEqual(result, {
      matches: [{ label: "open.txt", line: 1, text: "the needle in an editor" }],
      more: false,
      note: 'Not searched, because too large or unreadable: "big.txt", "broken.txt". Search one alone by naming it as the folder; if that fails, use execute_shell (grep -o). 1 file was left out, because it may contain secrets. 1 ignored or excluded entry was left out. 1 file has unsaved edits in the editor; their text there was searched.',
    });
  });

  it("stops when it's aborted", async () => {
    const { workspace } = open(many);
    const place = await workspace.locate(".");
    const controller = new AbortController();
    const searching = workspace.search(place, {
      pattern: "x",
      regex: false,
      limit: 9,
      signal: controller.signal,
    });
    controller.abort(new Error("stop"));
    await assert.rejects(searching, { message: "stop" });
  });
});
