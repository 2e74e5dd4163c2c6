import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { tempFolders } from "../../../test/support/temp-folders.ts";
import { explainRoot, runWorkerCommand } from "../src/worker-command.ts";

const tempFolder = tempFolders();
const ON = ["--on", "temporal://127.0.0.1:9"];

/** The sentence with which a worker refuses to start, or what it prints. */
async function start(argv: readonly string[], data: string, env: Record<string, string> = {}): Promise<string> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const end = await runWorkerCommand(argv, env, { stdin, stdout, stderr, data, signal }).then(
    () => "",
    (error: Error) => error.message,
  );
  stdout.end();
  return `${end}${await text(stdout)}`.slice(0, 60);
}

describe("a worker", () => {
  const { container, PATH } = process.env;
  beforeEach(() => {
    process.env.container = "test";
  });
  afterEach(() => {
    if (container === undefined) delete process.env.container;
    else process.env.container = container;
    process.env.PATH = PATH;
  });

  it("refuses with a sentence what it can't do, and explains itself", async () => {
    const data = await tempFolder();
    const found = {
      help: await start(["--help"], data),
      nowhere: await start([], data),
      ssh: await start(["--on", "ssh:box"], data),
      runs: await start([...ON, "--runs", "0"], data),
      linger: await start([...ON, "--linger", "soon"], data),
      unknown: await start([...ON, "--nothing"], data),
      stranger: await start([...ON, "now"], data),
      noKey: await start(ON, data),
      noKeyFile: await start(ON, data, { AUTOGPT_FLEET_KEY_FILE: "/gone" }),
    };
    assert.deepEqual(found, {
      help: "Usage: autogpt worker --on temporal://HOST:7233[/NAMESPACE] ",
      nowhere: "Say where the worker takes runs from: --on temporal://HOST:7",
      ssh: '"ssh:box" isn\'t the address of a Temporal server. Write it l',
      runs: '--runs takes a number from 1 to 64, not "0".',
      linger: '--linger takes a number from 0 to 86400, not "soon".',
      unknown: "There is no flag --nothing.",
      stranger: '"worker" doesn\'t take "now".',
      noKey: "This machine has no fleet key. Bring it here: autogpt fleet ",
      noKeyFile: "AUTOGPT_FLEET_KEY_FILE names the file /gone, which can't be ",
    });
  });

  it("doesn't start where runs have no sandbox, and says what to install", async function () {
    if (process.platform !== "linux") this.skip();
    const data = await tempFolder();
    process.env.PATH = data;
    assert.match(await start(ON, data), /^Isolated runs need bubblewrap, which isn't installed\. Instal/);
  });

  it("isn't root, unless a container calls it so", () => {
    const none = (): boolean => false;
    const found = {
      root: explainRoot(0, undefined, none),
      unnamed: explainRoot(0, "", none),
      podman: explainRoot(0, "podman", none),
      docker: explainRoot(0, undefined, (path) => path === "/.dockerenv"),
      user: explainRoot(1000, undefined, none),
      windows: explainRoot(undefined, undefined, none),
    };
    const why = "A worker doesn't work as root outside of a container. Start it as another user.";
    const allowed = { podman: undefined, docker: undefined, user: undefined, windows: undefined };
    assert.deepEqual(found, { root: why, unnamed: why, ...allowed });
  });
});
