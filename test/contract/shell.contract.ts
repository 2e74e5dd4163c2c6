import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import type { CommandOutputs, Shell, ShellResult } from "../../src/core/ports/programs.ts";

export interface ShellUnderTest {
  readonly shell: Shell;
  readonly outputs: CommandOutputs;
  /** Where commands run. */
  readonly folder: string;
}

/** What every `Shell` for bash or sh promises. `env` is the environment of the program around it. */
export function shellContract(name: string, open: (env: NodeJS.ProcessEnv) => Promise<ShellUnderTest>): void {
  describe(`shell: ${name}`, () => {
    results(open);
    endings(open);
    longOutputs(open);
  });
}

type Open = (env: NodeJS.ProcessEnv) => Promise<ShellUnderTest>;

interface Ran {
  /** The result but for the time it took. */
  readonly result: Omit<ShellResult, "seconds">;
  readonly took: number | undefined;
  readonly chunks: readonly string[];
  readonly under: ShellUnderTest;
}

async function ran(
  open: Open,
  commandLine: string,
  { seconds = 30, signal = new AbortController().signal, env = process.env, heard = (_: string) => {} } = {},
): Promise<Ran> {
  const under = await open(env);
  const chunks: string[] = [];
  const output = (chunk: string): void => {
    chunks.push(chunk);
    heard(chunk);
  };
  const options = { cwd: under.folder, step: 7, timeoutSeconds: seconds, signal, reportOutput: output };
  const { seconds: took, ...result } = await under.shell.run(commandLine, options);
  return { result, took, chunks, under };
}

function results(open: Open): void {
  it("gives the exit code, and both outputs in the order in which they came", async () => {
    const { result } = await ran(open, "for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3");
    assert.deepEqual(result, {
      ended: "exit",
      code: 3,
      output: "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n",
      bytes: 36,
    });
  });

  it("runs in the given folder, with a standard input that is at its end", async () => {
    const { result, under } = await ran(open, 'pwd; cat; read -r line || echo "nothing to read"');
    assert.equal(result.output, `${under.folder}\nnothing to read\n`);
  });

  it("streams output as it comes, with no letter torn apart", async () => {
    const { result, chunks } = await ran(open, "printf 'gr\\303'; sleep 0.2; printf '\\266\\303\\237er'");
    assert.deepEqual([chunks.join(""), result.output, chunks.length > 1], ["größer", "größer", true]);
  });

  it("leaves colours in the stream and takes them out of what the model reads", async () => {
    const { result, chunks } = await ran(open, "printf '\\033[31mred\\033[0m\\n 10%%\\r 99%%\\rdone\\n'");
    assert.deepEqual([chunks.join(""), result.output], ["\u001b[31mred\u001b[0m\n 10%\r 99%\rdone\n", "red\ndone\n"]);
  });

  it("does not hand on our keys", async () => {
    const { result } = await ran(open, 'echo "$OPENAI_API_KEY$AUTOGPT_X$AZURE_OPENAI_API_KEY|$OWN"', {
      env: { ...process.env, OPENAI_API_KEY: "a", AUTOGPT_X: "b", AZURE_OPENAI_API_KEY: "c", OWN: "kept" },
    });
    assert.equal(result.output, "|kept\n");
  });

  it("passes the user's line to the shell unchanged, whatever it contains", async () => {
    const { result } = await ran(open, "echo \"$0\" '$1' $# \"a  b\" `echo c` # comment\necho 'two\nlines'");
    assert.equal(result.output.split("\n").slice(0, 3).join("\n").replace(/^\S+/, "sh"), "sh $1 0 a  b c\ntwo\nlines");
  });
}

function endings(open: Open): void {
  it("ends a command that takes too long, and keeps what it printed", async () => {
    const { result, took = 0 } = await ran(open, "echo before; sleep 60; echo after", { seconds: 0.5 });
    assert.deepEqual(
      { ...result, isTimed: took >= 0.5 && took < 60 },
      { ended: "timeout", output: "before\n", bytes: 7, isTimed: true },
    );
  });

  it("stops when asked to, even if the command resists", async () => {
    const controller = new AbortController();
    const { result } = await ran(open, "trap '' TERM INT HUP; echo on; while :; do sleep 0.1; done", {
      signal: controller.signal,
      heard: () => controller.abort(),
    });
    assert.deepEqual(result, { ended: "stopped", output: "on\n", bytes: 3 });
  });

  it("starts nothing once it was stopped", async () => {
    await assert.rejects(ran(open, "echo x", { signal: AbortSignal.abort(new Error("stopped")) }), {
      message: "stopped",
    });
  });

  it("reports a command that was killed", async () => {
    const { result } = await ran(open, "kill -9 $$");
    assert.deepEqual(result, { ended: "exit", output: "", bytes: 0 });
  });

  it("ends what a command leaves in the background, and counts it", async () => {
    const { result } = await ran(open, "sleep 60 & sleep 60 & echo $!");
    assert.deepEqual([result.code, result.leftBehind], [0, 2]);
  });
}

function longOutputs(open: Open): void {
  it("keeps short outputs whole, for later", async () => {
    const { under } = await ran(open, "echo short");
    assert.deepEqual([await under.outputs.read(7), await under.outputs.read(8)], ["short\n", undefined]);
  });

  it("shows head and tail of a long output, and keeps all of it in a file of its own", async () => {
    const { result, under } = await ran(open, "seq 1 100000");
    const whole = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("");
    const { output, file = "", ...rest } = result;
    assert.deepEqual(
      {
        ...rest,
        head: whole.startsWith(output.slice(0, 24_000)),
        tail: whole.endsWith(output.slice(-24_000)),
        isShort: output.length < 48_200,
        mode: (await stat(file)).mode & 0o777,
        kept: (await under.outputs.read(7)) === whole,
      },
      {
        ended: "exit",
        code: 0,
        bytes: whole.length,
        head: true,
        tail: true,
        isShort: true,
        mode: 0o600,
        kept: true,
      },
    );
  });
}
