import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createCopy } from "../../../../src/isolation/copy/create-copy.ts";
import { listHostSockets, listNamedKeys, listPathsHiddenFromRoot } from "../../../../src/isolation/walls/bubblewrap.ts";
import { findBubblewrapWalls } from "../../../../src/isolation/walls/bubblewrap-walls.ts";
import { CONTAINER_IMAGE, findContainerWalls } from "../../../../src/isolation/walls/container-walls.ts";
import { parseReachedOutside } from "../../../../src/isolation/walls/probe.ts";
import { findSeatbeltWalls } from "../../../../src/isolation/walls/seatbelt-walls.ts";
import { createSystemCallFilter } from "../../../../src/isolation/walls/system-calls.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { buildContainerArguments } from "../../../../src/walls/containers.ts";
import { buildSeatbeltArguments } from "../../../../src/walls/seatbelt.ts";
import { createView, MAC_SYSTEM } from "../../../../src/walls/view.ts";
import { skipWithout } from "../../../support/skips.ts";

/** A client that answers, records its arguments and runs the words after the image on this machine. */
const CLIENT = `#!/bin/sh
echo "$*" >> "$(dirname "$0")/calls"
case "$1" in
  version) [ ! -e "$(dirname "$0")/silent" ] || exit 1; echo 27.0 ;;
  image) [ ! -e "$(dirname "$0")/empty" ] || exit 1; echo sha256:1 ;;
  rm) ;;
  run)
    [ ! -e "$(dirname "$0")/broken" ] || exit 125
    while [ "$1" != "${CONTAINER_IMAGE}" ]; do shift; done; shift
    case "$*" in *"/proc/net/dev"*) cat "$(dirname "$0")/seen"; exit ;; sleep*) exit ;; esac
    exec "$@" ;;
esac
`;

describe("the engines of walls", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-engines-"));
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  function engine(
    name: string,
    ...marks: readonly string[]
  ): { readonly env: NodeJS.ProcessEnv; readonly calls: string } {
    const bin = path.join(folder, name);
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, "docker"), CLIENT, { mode: 0o755 });
    fs.writeFileSync(path.join(bin, "seen"), "lo\n");
    for (const mark of marks) fs.writeFileSync(path.join(bin, mark), "eth0\n");
    return { env: { ...process.env, PATH: `${bin}:/usr/bin:/bin` }, calls: path.join(bin, "calls") };
  }

  it("refuse Docker that is absent, doesn't answer, has no image, starts no container, or leaves the network on, each with a way out", async () => {
    skipWithout("a POSIX shell and its programs");
    const why = async (env: NodeJS.ProcessEnv) => {
      const found = await findContainerWalls("docker", env);
      return found.engine === "none" ? writeInEnglish(found.why) : found.engine;
    };
    assert.deepEqual(
      [
        await why({ PATH: path.join(folder, "nothing") }),
        await why(engine("one", "silent").env),
        await why(engine("two", "empty").env),
        await why(engine("six", "broken").env),
        await why(engine("three", "seen").env),
      ],
      [
        "Docker isn't installed. Install it, or choose another engine in autogpt.isolation.engine.",
        "Docker is installed but doesn't answer. Start it, or choose another engine in autogpt.isolation.engine.",
        `Docker doesn't have the image for isolated runs yet. To download it, run: docker pull ${CONTAINER_IMAGE}`,
        "Docker is installed but doesn't answer. Start it, or choose another engine in autogpt.isolation.engine.",
        "This system's sandbox doesn't confine programs well enough for isolated runs. Programs reached: eth0. Choose another engine in autogpt.isolation.engine.",
      ],
    );
  });

  it("hold if a program within them reached nothing and came to its end", () =>
    assert.deepEqual(["end\n", "other files\nend\n", "bwrap: No permissions\n", ""].map(parseReachedOutside), [
      [],
      ["other files"],
      undefined,
      undefined,
    ]));

  it("run each line in a container without power that shares the network of one that waits", async () => {
    skipWithout("files as POSIX has them");
    const { env, calls } = engine("four");
    const walls = await findContainerWalls("docker", env);
    assert.ok(walls.engine !== "none");
    const home = path.join(folder, "copy");
    const app = path.join(home, "app");
    fs.mkdirSync(app, { recursive: true });
    const origin = path.join(folder, "node_modules, own");
    fs.mkdirSync(origin);
    const copy = {
      ...{ run: "r1", home, folders: [{ name: "app", origin: folder, path: app }], visible: [app] },
      ...{ borrowed: [{ origin, path: path.join(app, "node_modules") }], objects: [], notes: [] },
    };
    const programs = await walls.createPrograms(copy, {
      runHome: path.join(folder, "run"),
      hosts: [],
      redact: (text) => text,
    });
    const { signal } = new AbortController();
    const place = { cwd: app, step: 1, timeoutSeconds: 20, signal, reportOutput: () => undefined };
    const { output } = await programs.shell.run("echo ran", place);
    await programs.dispose();
    const lines = fs.readFileSync(calls, "utf8").trim().split("\n").slice(3);
    const plain = lines.map((line) =>
      line
        .replaceAll(folder, "$T")
        .replaceAll(/autogpt-[-0-9a-f]+/g, (name) => (name.length > 45 ? "LINE" : "HOLDER"))
        .replaceAll(/\d+m\b/g, "MEMORY")
        .replace(/--user \d+:\d+/, "--user USER"),
    );
    assert.deepEqual(
      { output, plain },
      {
        output: "ran\n",
        plain: [
          `run --rm --init --name HOLDER --network none --cap-drop ALL --security-opt no-new-privileges --read-only --ipc private --pull never --detach ${CONTAINER_IMAGE} sleep infinity`,
          `run --rm --init --name LINE --network container:HOLDER --cap-drop ALL --security-opt no-new-privileges --read-only --ipc private --pull never --memory MEMORY --memory-swap MEMORY --pids-limit 1000 --user USER --env HOME=/home/agent --env TMPDIR=/tmp --env NO_COLOR=1 --mount type=bind,source=$T/copy/walls/home,target=/home/agent --mount type=bind,source=$T/copy/walls/tmp,target=/tmp --mount type=bind,source=$T/copy/app,target=$T/copy/app --mount type=bind,source="$T/node_modules, own",target=$T/copy/app/node_modules,readonly --workdir $T/copy/app ${CONTAINER_IMAGE} /bin/bash -c echo ran`,
          "rm --force LINE",
          "rm --force HOLDER",
        ],
      },
    );
  });

  it("say that a read-only folder can be written after a line has failed there", async () => {
    skipWithout("files as POSIX has them");
    const walls = await findContainerWalls("docker", engine("five").env);
    assert.ok(walls.engine !== "none");
    const workspace = path.join(folder, "own/app");
    const root = path.join(folder, "own/copies");
    fs.mkdirSync(path.join(workspace, "node_modules/x"), { recursive: true });
    fs.writeFileSync(path.join(workspace, "node_modules/x/index.js"), "one");
    const copy = await createCopy({
      ...{ run: "r1", home: path.join(root, "r1"), folders: [{ name: "app", path: workspace }], lend: [] },
      ...{ quotaBytes: 10_000_000, signal: new AbortController().signal, reportProgress: () => undefined },
    });
    const programs = await walls.createPrograms(copy, {
      ...{ runHome: path.join(folder, "own/run"), hosts: [], redact: (text: string) => text },
    });
    const { signal } = new AbortController();
    const place = {
      cwd: copy.folders[0]?.path ?? "",
      step: 1,
      timeoutSeconds: 20,
      signal,
      reportOutput: () => undefined,
    };
    const line = "echo 'node_modules/x: Read-only file system'; false";
    const { notes } = await programs.shell.run(line, place);
    await programs.dispose();
    const own = path.join(place.cwd, "node_modules/x/index.js");
    assert.deepEqual(
      { notes, borrowed: copy.borrowed, own: fs.readFileSync(own, "utf8") },
      {
        notes: ["node_modules can be written now. Run the line again if it needs that."],
        borrowed: [],
        own: "one",
      },
    );
  });

  it("name Windows' drives as folders of the container", () => {
    const view = createView({ writable: ["C:\\Users\\a\\app", "/home/a"] });
    const words = buildContainerArguments(view, { image: "i", words: [], cwd: "C:\\Users\\a" });
    assert.deepEqual(words.slice(-7), [
      ...["--mount", "type=bind,source=C:\\Users\\a\\app,target=/c/Users/a/app"],
      ...["--mount", "type=bind,source=/home/a,target=/home/a"],
      ...["--workdir", "/c/Users/a", "i"],
    ]);
  });

  it("give programs on macOS a home with the user's toolchains, and report the usual programs that don't start there", async () => {
    skipWithout("files as POSIX has them");
    const home = path.join(folder, "mac");
    fs.mkdirSync(path.join(home, ".rustup/toolchains"), { recursive: true });
    const program = path.join(home, "sandbox-exec");
    const run = `case "$*" in *HOST_PROCESS*) echo end ;; *"git --version") echo 'no link' >&2; exit 1 ;; *) exec "$@" ;; esac`;
    fs.writeFileSync(program, `#!/bin/sh\nshift 2\n${run}\n`, { mode: 0o755 });
    const env = { ...process.env, HOME: home, CARGO_HOME: `${home}/.cargo`, VIRTUAL_ENV: `${home}/app/.venv` };
    const walls = await findSeatbeltWalls(env, "darwin", program);
    assert.ok(walls.engine !== "none");
    const copyHome = path.join(home, "copy");
    const app = path.join(copyHome, "app");
    fs.mkdirSync(app, { recursive: true });
    const folders = [{ name: "app", origin: path.join(home, "app"), path: app }];
    const copy = { run: "r1", home: copyHome, folders, visible: [app], borrowed: [], objects: [], notes: [] };
    const options = { runHome: path.join(home, "run"), hosts: [], redact: (text: string) => text, env };
    const programs = await walls.createPrograms(copy, options);
    const { signal } = new AbortController();
    const place = { cwd: app, step: 1, timeoutSeconds: 20, signal, reportOutput: () => undefined };
    const line = 'echo "$HOME $TMPDIR $CARGO_HOME $VIRTUAL_ENV"; ls -A ~ ~/.rustup';
    const { output, notes } = await programs.shell.run(line, place);
    const second = await programs.shell.run("true", { ...place, step: 2 });
    await programs.dispose();
    assert.deepEqual(
      { output: output.replaceAll(home, "$H"), notes, second: second.notes },
      {
        output: [
          "$H/copy/walls/home $H/copy/walls/tmp $H/copy/walls/home/.cargo $H/app/.venv",
          "$H/copy/walls/home:\n.rustup\n",
          "$H/copy/walls/home/.rustup:\ntoolchains\n",
        ].join("\n"),
        notes: ["These programs don't start in this sandbox: git."],
        second: undefined,
      },
    );
  });

  it("hide the keys of a worker on macOS as well, behind links and after all that is allowed", async () => {
    skipWithout("files as POSIX has them");
    const home = path.join(fs.realpathSync(folder), "mac-worker");
    const tools = path.join(home, ".local/bin");
    const [copyHome, app] = [path.join(home, "copy"), path.join(home, "copy/app")];
    for (const one of [tools, app]) fs.mkdirSync(one, { recursive: true });
    for (const name of ["fleet-key", "temporal.key"]) fs.writeFileSync(path.join(tools, name), "secret");
    fs.symlinkSync(path.join(tools, "fleet-key"), path.join(home, "key"));
    const program = path.join(home, "sandbox-exec");
    const record = `printf %s "$2" > '${home}/profile'; shift 2`;
    fs.writeFileSync(program, `#!/bin/sh\n${record}\ncase "$*" in *HOST_PROCESS*) echo end ;; *) exec "$@" ;; esac\n`, {
      mode: 0o755,
    });
    const keys = { AUTOGPT_FLEET_KEY_FILE: `${home}/key`, AUTOGPT_TEMPORAL_KEY: `${tools}/temporal.key` };
    const env = { ...process.env, HOME: home, ...keys };
    const walls = await findSeatbeltWalls(env, "darwin", program);
    assert.ok(walls.engine !== "none");
    const folders = [{ name: "app", origin: path.join(home, "app"), path: app }];
    const copy = { run: "r1", home: copyHome, folders, visible: [app], borrowed: [], objects: [], notes: [] };
    const options = { runHome: path.join(home, "run"), hosts: [], redact: (text: string) => text, env };
    const programs = await walls.createPrograms(copy, options);
    const { signal } = new AbortController();
    await programs.shell.run("true", { cwd: app, step: 1, timeoutSeconds: 20, signal, reportOutput: () => undefined });
    await programs.dispose();
    const reads = fs
      .readFileSync(path.join(home, "profile"), "utf8")
      .split("\n")
      .filter((line) => /^\((?:allow|deny) file-read\* .*subpath/.test(line));
    assert.deepEqual(
      {
        allowed: reads.some((line) => line.startsWith("(allow") && line.includes(`(subpath "${tools}")`)),
        last: ["fleet-key", "temporal.key"].map((name) => reads.at(-1)?.includes(`(subpath "${tools}/${name}")`)),
        isDenied: reads.at(-1)?.startsWith("(deny"),
      },
      { allowed: true, last: [true, true], isDenied: true },
    );
  });

  it("have a profile for macOS that allows by name only", () => {
    const [, profile = ""] = buildSeatbeltArguments(
      createView({
        network: { kind: "shared", proxyPort: 8080 },
        system: MAC_SYSTEM,
        readable: ["/opt/tool"],
        writable: ['/c/a"b', "/c/walls/home", "/c/walls/tmp"],
      }),
    );
    const lines = profile.split("\n");
    const own = ['/c/a\\"b', "/c/walls/home", "/c/walls/tmp"];
    const devices = ["null", "zero", "tty", "stdout", "stderr", "dtracehelper"];
    assert.deepEqual(
      {
        denied: lines.includes("(deny default)"),
        network: lines.filter((line) => line.includes("network")),
        written: lines.filter((line) => line.startsWith("(allow file-write*")),
        terminals: lines.filter((line) => line.includes("/dev/ttys")).map((line) => line.slice(0, 6)),
        links: /\(allow file-read\* .*"\/var"\).*xcode_select_link/.test(profile),
        isHome: /\(subpath "\/Users\/a"\)/.test(profile),
        services: /launchservices|apsd|securityd|pasteboard/i.test(profile),
      },
      {
        denied: true,
        network: [
          `(allow network-bind ${own.map((one) => `(local unix-socket (subpath "${one}"))`).join(" ")})`,
          `(allow network-outbound ${own.map((one) => `(remote unix-socket (subpath "${one}"))`).join(" ")})`,
          '(allow network-outbound (remote ip "localhost:8080"))',
        ],
        written: [
          '(allow file-write* (subpath "/c/a\\"b") (subpath "/c/walls/home") (subpath "/c/walls/tmp"))',
          `(allow file-write* ${devices.map((name) => `(literal "/dev/${name}")`).join(" ")} (subpath "/dev/fd"))`,
        ],
        terminals: ["(deny ", "(allow"],
        links: true,
        isHome: false,
        services: false,
      },
    );
  });

  it("hide keys from root that others couldn't read anyway", () => {
    const kindOf = (name: string) =>
      name === "/etc/shadow" ? "file" : name === "/etc/ssl/private" ? "folder" : undefined;
    assert.deepEqual(
      [listPathsHiddenFromRoot(true, kindOf), listPathsHiddenFromRoot(false, kindOf)],
      [
        { files: ["/etc/shadow"], folders: ["/etc/ssl/private"] },
        { files: [], folders: [] },
      ],
    );
  });

  it("hide sockets of programs outside, also in folders of the system", () => {
    const row = (path: string) => `ffff8881: 00000002 00000000 00010000 0001 01 20480 ${path}`;
    const paths = ["/nix/var/nix/daemon-socket/socket", "/opt/db/a b.sock", "/opt/gone", "@bus", "/run/s"];
    const listed = ["Num RefCount Protocol Flags Type St Inode Path", ...[...paths, "/own/bin/s"].map(row)];
    assert.deepEqual(
      listHostSockets(["/own/bin"], listed.join("\n"), (name) => name !== "/opt/gone"),
      ["/nix/var/nix/daemon-socket/socket", "/opt/db/a b.sock", "/own/bin/s"],
    );
  });

  it("hide the keys of a worker where programs would see them, also behind a link", () => {
    const [seen = "", unseen = ""] = ["seen", "unseen"].map((name) => path.join(fs.realpathSync(folder), name));
    const key = path.join(seen, "key");
    for (const one of [seen, unseen]) {
      fs.mkdirSync(one);
      fs.writeFileSync(path.join(one, "key"), "secret");
    }
    fs.symlinkSync(key, path.join(unseen, "link"));
    const listNamed = (file: string, own: string) =>
      listNamedKeys({ AUTOGPT_FLEET_KEY_FILE: file, AUTOGPT_TEMPORAL_KEY: own }, [seen]);
    assert.deepEqual(
      [
        listNamed(path.join(unseen, "link"), path.join(seen, "gone")),
        listNamed(path.join(unseen, "key"), key),
        listNamed("", ""),
      ],
      [[key], [key], []],
    );
  });

  it("filter system calls on the processors whose numbers are known", () => {
    assert.deepEqual(
      ["x64", "arm64", "ia32"].map((processor) => createSystemCallFilter(processor)?.length),
      [48 * 8, 48 * 8, undefined],
    );
  });

  it("say what bubblewrap lacks on another system", async function () {
    if (process.platform === "linux") this.skip();
    assert.equal((await findBubblewrapWalls()).engine, "none");
  });
});
