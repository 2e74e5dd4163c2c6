import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import type { Copy } from "../../../../src/isolation/copy/copy.ts";
import { removeTree } from "../../../../src/isolation/copy/remove-copy.ts";
import { findWalls } from "../../../../src/isolation/walls/find-walls.ts";
import { getLayer } from "../../../../src/isolation/walls/layers.ts";
import type { WalledPrograms, Walls } from "../../../../src/isolation/walls/walls.ts";

/** Files around a copy, and those in it. They are made outside of /tmp, which is private within the walls. */
const FILES = {
  "home/.ssh/id_rsa": "key",
  "home/.cargo/registry/index": "registry\n",
  "home/app/.env": "SECRET=1",
  "home/app/node_modules/x/index.js": "one\n",
  "home/.data/copies/r1/app/a.txt": "a\n",
  "home/.data/copies/r1/base/kept": "base",
  "home/.data/copies/r2/app/other.txt": "other",
};

describe("the walls of this system", () => {
  let walls: Walls;
  let root: string;
  let copy: Copy;
  let programs: WalledPrograms;

  before(async function () {
    const found = await findWalls("auto");
    if (found.engine !== "bubblewrap") this.skip();
    walls = found;
    root = fs.mkdtempSync("/var/tmp/autogpt-walls-test-");
    for (const [name, text] of Object.entries(FILES)) {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      fs.writeFileSync(path.join(root, name), text);
    }
    const home = path.join(root, "home/.data/copies/r1");
    const folder = { name: "app", origin: path.join(root, "home/app"), path: path.join(home, "app") };
    const borrowed = [{ origin: `${folder.origin}/node_modules`, path: path.join(folder.path, "node_modules") }];
    copy = { run: "r1", home, folders: [folder], visible: [folder.path], borrowed, objects: [], notes: [] };
    programs = await walls.createPrograms(copy, options(path.join(root, "run")));
  });

  after(async () => {
    await programs?.dispose();
    if (root) await removeTree(root);
  });

  const options = (runHome: string, hosts: readonly string[] = []) => ({
    runHome,
    hosts,
    redact: (text: string) => text.replaceAll(/sk-\w+/g, "…"),
    env: { ...process.env, HOME: path.join(root, "home"), CC: "sk-secret", MY_KEY: "x", LANG: "C.UTF-8" },
  });

  async function run(line: string, within: WalledPrograms = programs) {
    const { signal } = new AbortController();
    const cwd = copy.folders[0]?.path ?? "";
    const place = { cwd, step: 1, timeoutSeconds: 20, signal, reportOutput: () => undefined };
    const { output, notes = [] } = await within.shell.run(line, place);
    return { output: output.trim().replaceAll(root, "$T"), notes };
  }

  for (const [what, line, printed] of [
    ["lets the copy be read and written", "echo b > b.txt; cat a.txt b.txt; rm b.txt; ls", "a\nb\na.txt\nnode_modules"],
    ["shows nothing of the home", "cat ~/.ssh/id_rsa ~/app/.env 2>/dev/null; ls ~", ""],
    [
      "shows no other copy and nothing else of its own",
      "ls ~/.data/copies ~/.data/copies/r1 | tr '\\n' ' '; cat ../base/kept 2>/dev/null",
      "$T/home/.data/copies: r1  $T/home/.data/copies/r1: app",
    ],
    ["keeps a home for the run", "echo kept > ~/cache; cat ~/cache", "kept"],
    ["keeps the system as it is", "(touch /usr/x || touch /x || touch /etc/x || echo no) 2>/dev/null", "no"],
    ["has no variable that may be secret", 'echo "[$CC$MY_KEY]" $LANG', "[] C.UTF-8"],
    ["has no network but its own", "tail -n +3 /proc/net/dev | cut -d: -f1; wc -l < /proc/net/unix", "lo\n1"],
    [
      "hides processes and their environment",
      "ls /proc | grep -c '^[0-9]' | sed 's/^[1-9]$/few/'; cat /proc/*/environ | tr '\\0' '\\n' | grep -c MY_KEY",
      "few\n0",
    ],
    [
      "follows no link out of the copy",
      "ln -s ~/../.. out; ln -s /proc/1/root/var way; cat out/home/.ssh/id_rsa way/lib/dpkg/x 2>/dev/null || echo no; rm out way",
      "no",
    ],
    [
      "cannot be undone from within",
      "(umount node_modules; mount -o remount,rw /; unshare -rm true; nsenter -t 1 -m true; mknod disk b 8 0; echo x > /proc/sys/kernel/core_pattern; chroot / true) >/dev/null 2>&1 || echo no",
      "no",
    ],
    [
      "keeps few files in memory",
      "df --output=size /dev/shm /run | tail -n +2 | tr -d ' '; (touch /dev/x || echo no) 2>/dev/null",
      "1048576\n65536\nno",
    ],
    [
      "has no keyrings and no sockets of the host",
      '/usr/bin/python3 -c \'import socket,ctypes\ntry: socket.socket(40,1)\nexcept OSError as e: print(e.errno)\nprint(ctypes.CDLL(None).syscall(250 if __import__("platform").machine()=="x86_64" else 219, 0, -3, 0))\'',
      "97\n-1",
    ],
  ] as const)
    it(what, async () => {
      assert.deepEqual(await run(line), { output: printed, notes: [] });
    });

  it("makes no folder outside where the run has led a mount with a link", async () => {
    const away = path.join(root, "away");
    fs.mkdirSync(away);
    const at = path.join(copy.home, "app/sub");
    copy.borrowed.push({ origin: path.join(root, "home/app/node_modules"), path: `${at}/node_modules` });
    const led = await run(`mv sub moved && ln -s /oldroot${away} sub && echo led`);
    await run("true");
    copy.borrowed.pop();
    fs.rmSync(at);
    fs.rmSync(`${path.dirname(at)}/moved`, { recursive: true });
    assert.deepEqual({ led: led.output, made: fs.readdirSync(away) }, { led: "led", made: [] });
  });

  it("lets borrowed folders be changed in a layer of the run", async function () {
    if (!walls.hasLayers) this.skip();
    const changed = await run(
      "cat node_modules/x/index.js ~/.cargo/registry/index; echo two > node_modules/x/index.js; echo y > node_modules/y; echo z > ~/.cargo/registry/index; cat node_modules/x/index.js",
    );
    const again = await run("cat node_modules/x/index.js node_modules/y ~/.cargo/registry/index");
    const { upper } = getLayer(copy, copy.borrowed[0] ?? { path: "" });
    assert.deepEqual(
      {
        changed: changed.output,
        again: again.output,
        layer: fs.readFileSync(path.join(upper, "y"), "utf8"),
        origin: fs.readdirSync(path.join(root, "home/app/node_modules")),
        file: fs.readFileSync(path.join(root, "home/app/node_modules/x/index.js"), "utf8"),
        cache: fs.readFileSync(path.join(root, "home/.cargo/registry/index"), "utf8"),
      },
      {
        changed: "one\nregistry\ntwo",
        again: "two\ny\nz",
        layer: "y\n",
        origin: ["x"],
        file: "one\n",
        cache: "registry\n",
      },
    );
  });

  it("lets lines reach a server that a background process of the run started, and nothing on this machine", async () => {
    const host = net.createServer((socket) => socket.end("host")).listen(0, "127.0.0.1");
    await new Promise((resolve) => host.once("listening", resolve));
    const { port } = host.address() as net.AddressInfo;
    const cwd = copy.folders[0]?.path ?? "";
    const server = `import socket\ns=socket.create_server(("127.0.0.1",${port}))\nprint("up",flush=True)\nwhile True: s.accept()[0].send(b"mine")`;
    const before = await run(`cat < /dev/tcp/127.0.0.1/${port} || echo no`);
    const started = await programs.processes.start(`exec /usr/bin/python3 -u -c '${server}'`, {
      cwd,
      step: 2,
    });
    const id = typeof started === "string" ? 0 : started.id;
    const { signal } = new AbortController();
    const up = await programs.processes.read(id, 10_000, signal);
    const met = await run(`cat < /dev/tcp/127.0.0.1/${port}`);
    const stopped = await programs.processes.stop(id);
    host.close();
    assert.deepEqual(
      { before: /no$/.test(before.output), up: up?.text, met: met.output, state: stopped?.state },
      { before: true, up: "up\n", met: "mine", state: "stopped" },
    );
  });

  it("runs git in the copy, without its hooks reaching out", async () => {
    const cwd = copy.folders[0]?.path ?? "";
    await run(
      "git init -q -b main; git config user.email a@b.c; git config user.name N; echo 'cat ~/.ssh/id_rsa > stolen' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git add a.txt; git commit -qm One || git commit -qnm One",
    );
    const found = await programs.git?.findRepository(cwd);
    assert.ok(found);
    const answer = await programs.git?.read(found, ["log", "--format=%s"], new AbortController().signal);
    const stolen = fs.existsSync(path.join(cwd, "stolen")) && fs.readFileSync(path.join(cwd, "stolen"), "utf8");
    await run("rm -rf .git stolen");
    assert.deepEqual({ answer, stolen }, { answer: { ok: true, text: "One\n", isCut: false }, stolen: "" });
  });

  it("ends a line whose processes become too many, with all of them", async () => {
    const { notes } = await run("for i in $(seq 1100); do sleep 20 & done; wait");
    assert.deepEqual(notes, ["It was ended: the run had more than 1000 processes."]);
  });

  it("ends a line whose copy is deleted, and one that fills the disk, with sentences", async () => {
    const home = path.join(root, "home/.data/copies/r3");
    const app = path.join(home, "app");
    fs.mkdirSync(app, { recursive: true });
    const other = {
      ...copy,
      home,
      folders: [{ name: "app", origin: `${root}/none`, path: app }],
      visible: [app],
      borrowed: [],
    };
    const own = await walls.createPrograms(other, {
      ...options(path.join(root, "run3")),
      quotaBytes: 30_000_000,
    });
    const { signal } = new AbortController();
    const place = { cwd: app, step: 1, timeoutSeconds: 20, signal, reportOutput: () => undefined };
    const filled = await own.shell.run(
      "for i in 1 2 3 4; do head -c 20000000 /dev/zero > big$i; done; head -c 90000000 /dev/zero > bigger; sleep 20",
      place,
    );
    const size = fs.statSync(path.join(app, "bigger"), { throwIfNoEntry: false })?.size ?? 0;
    // Otherwise the next line may be ended for these before it has begun.
    for (const name of fs.readdirSync(app)) fs.rmSync(path.join(app, name));
    const up = Promise.withResolvers<void>();

    const running = own.shell.run("echo up; sleep 20", { ...place, reportOutput: () => up.resolve() });
    await up.promise;
    await removeTree(home);
    const gone = await running;
    await own.dispose();
    assert.deepEqual(
      { filled: filled.notes, isCut: size < 31_000_000, gone: gone.notes ?? gone.output },
      {
        filled: [
          "It was ended: the copy takes more than 29 MB (autogpt.isolation.quotaMb). Delete files that aren't needed.",
        ],
        isCut: true,
        gone: ["It was ended: the copy of this run has been deleted, so nothing can be done in it any more."],
      },
    );
  });

  it("counts deleted files that are still open as part of the copy", async () => {
    const home = path.join(root, "home/.data/copies/r4");
    const app = path.join(home, "app");
    fs.mkdirSync(app, { recursive: true });
    const folders = [{ name: "app", origin: `${root}/none`, path: app }];
    const own = await walls.createPrograms(
      { ...copy, home, folders, visible: [app], borrowed: [] },
      { ...options(path.join(root, "run4")), quotaBytes: 30_000_000 },
    );
    const { signal } = new AbortController();
    const place = { cwd: app, step: 1, timeoutSeconds: 20, signal, reportOutput: () => undefined };
    const { notes } = await own.shell.run(
      'for fd in 21 22 23 24; do eval "exec $fd> gone"; rm gone; head -c 9000000 /dev/zero >&$fd; done; sleep 20',
      place,
    );
    await own.dispose();
    await removeTree(home);
    assert.deepEqual(notes, [
      "It was ended: the copy takes more than 29 MB (autogpt.isolation.quotaMb). Delete files that aren't needed.",
    ]);
  });

  it("starts a line without a copy with a sentence", async () => {
    const gone = await walls.createPrograms({ ...copy, visible: [`${root}/b`] }, options(root));
    const { output } = await run("true", gone);
    await gone.dispose();
    assert.match(output, /bwrap: Can't find source path \$T\/b: No such file or directory/);
  });
});
