import assert from "node:assert/strict";
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { buildShellCommandLine } from "../../../../src/commands/shell/run-python.ts";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { chooseShellProgram } from "../../../../src/node/processes/programs.ts";
import { createNodePython, type PythonOptions } from "../../../../src/node/python/python.ts";
import { type PlantedBench, plantedBenches } from "../../../support/planted-bench.ts";
import { withoutTimes } from "../../../support/run-times.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import type { Tree } from "../../../support/trees.ts";

describe("Python", () => {
  const planted = plantedBenches();
  const tempFolder = tempFolders();

  /** All commands with this machine's own Python, or what `more` makes of it. */
  async function benched(
    tree: Tree,
    more: Partial<PythonOptions> = {},
  ): Promise<PlantedBench & { readonly runFolder: string }> {
    const runFolder = await tempFolder();
    const place = { folder: "" };
    const python = await createNodePython({
      setting: "",
      listFolders: () => [place.folder],
      useDocker: false,
      sandboxed: false,
      runFolder,
      ...more,
    });
    const made = await planted(tree, { python });
    place.folder = made.folder;
    return { ...made, runFolder };
  }

  /** A program that says by what it was called and with what. */
  async function pretender(path: string, script = 'echo "$0" "$@"'): Promise<string> {
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it("runs a file with its arguments, in the folder that was named, and reports its exit code", async () => {
    const program = "import os, sys\nprint(os.path.basename(os.getcwd()), sys.argv[1:])\nsys.exit(3)\n";
    const { bench } = await benched({ "src/a.py": program });
    const args = { file: "src/a.py", args: ["it's", "$HOME", "-x"], folder: "src" };
    assert.deepEqual(withoutTimes(await bench.call("execute_python_file", args)), {
      status: "done",
      output: `Exit code 3.\nsrc ["it's", '$HOME', '-x']`,
      exitCode: 3,
    });
  });

  it("shows the whole line, and reports it and the file to the policy", async () => {
    const folder = await tempFolder();
    const interpreter = await pretender(join(folder, "py"));
    const { bench, folder: workspace } = await benched({ "a b.py": "" }, { setting: interpreter });
    const prepared = await bench.prepare("execute_python_file", { filename: "a b.py", timeout: 5 });
    assert.ok(isPrepared(prepared));
    const line = buildShellCommandLine([interpreter, "-u", join(workspace, "a b.py")], chooseShellProgram().name);
    const { effect, preview, shell, cwd, touches } = prepared;
    assert.deepEqual(
      { effect, preview, shell, cwd, touches },
      {
        effect: "run",
        preview: {
          kind: "details",
          text: `${line}\n\nRuns on this machine, in ${workspace}, for 5 seconds at most.`,
        },
        shell: line,
        cwd: workspace,
        touches: [{ path: join(workspace, "a b.py"), how: "read" }],
      },
    );
  });

  it("is no longer fresh once the file is another one", async () => {
    const { bench, folder } = await benched({ "a.py": "print(1)" });
    const prepared = await bench.prepare("execute_python_file", { filename: "a.py" });
    assert.ok(isPrepared(prepared));
    await writeFile(join(folder, "a.py"), "print(22)");
    assert.equal(await prepared.fresh(), false);
  });

  it("runs code that imports from the workspace, from a file that no one else can read and that is gone afterward", async () => {
    const { bench, runFolder } = await benched({ "own.py": "word = 'grüß'" });
    const code = "import os, own\nprint(own.word, oct(os.stat(__file__).st_mode)[-3:], __file__)";
    const kept = join(runFolder, "code/1.py");
    const outcome = await bench.call("execute_python_code", { code });
    assert.deepEqual(
      [withoutTimes(outcome), await stat(kept).catch(() => "gone")],
      [{ status: "done", output: `Exit code 0.\ngrüß ${process.platform === "win32" ? 666 : 600} ${kept}` }, "gone"],
    );
  });

  it("shows code whole before it is run, and keeps nothing of what is refused", async () => {
    const { bench, folder, runFolder } = await benched(
      {},
      { setting: await pretender(join(await tempFolder(), "py")) },
    );
    const prepared = await bench.prepare("execute_python_code", {
      code: "print(1)\nprint(2)\n",
      name: "two",
    });
    assert.ok(isPrepared(prepared));
    const shown = prepared.preview.kind === "details" ? prepared.preview.text : "";
    const [code, how] = [shown.split("\n\n")[0], shown.split("\n\n")[2]];
    assert.deepEqual(
      [code, how, prepared.shell, await stat(join(runFolder, "code")).catch(() => "nothing")],
      ["print(1)\nprint(2)", `Runs on this machine, in ${folder}, for 120 seconds at most.`, undefined, "nothing"],
    );
  });

  it("runs code that came between fences", async () => {
    const { bench } = await benched({});
    assert.deepEqual(withoutTimes(await bench.call("run_python_code", { code: "```python\nprint(1)\n```" })), {
      status: "done",
      output: "Exit code 0.\n1",
    });
  });

  it("gives an error's traceback", async () => {
    const { bench } = await benched({});
    const outcome = await bench.call("execute_python_code", { code: "1/0" });
    assert.match(JSON.stringify(outcome), /Exit code 1.*ZeroDivisionError/s);
  });

  it("reads nothing from a keyboard", async () => {
    const { bench } = await benched({});
    const outcome = await bench.call("execute_python_code", { code: "input('Name? ')" });
    assert.match(JSON.stringify(outcome), /EOFError/);
  });

  for (const [filename, error] of [
    ["b.py", 'There is no file "b.py". Nearest: "a.py".'],
    ["a.txt", '"a.txt" is not a Python file. Name a file that ends with .py.'],
    ["lib", '"lib" is not a Python file. Name a file that ends with .py.'],
  ] as const)
    it(`says why it does not run ${filename}`, async () => {
      const { bench } = await benched({ "a.py": "", "a.txt": "", "lib/x.txt": "" });
      assert.deepEqual(await bench.call("execute_python_file", { filename }), { status: "failed", error });
    });

  it("takes the setting first, then the editor's choice, the workspace's environment, and the search path", async () => {
    skipWithout("a POSIX shell and its programs");
    const folder = await tempFolder();
    await Promise.all(["ws/.venv/bin", "path"].map((name) => mkdir(join(folder, name), { recursive: true })));
    const [setting, chosen, own, common] = await Promise.all(
      ["set", "chosen", "ws/.venv/bin/python", "path/python3"].map((name) => pretender(join(folder, name))),
    );
    const env = { PATH: ["relative", join(folder, "path")].join(delimiter) };
    const parts = {
      useDocker: false,
      sandboxed: false,
      runFolder: folder,
      listFolders: () => [join(folder, "ws")],
      env,
    };
    const started = async (more: Partial<PythonOptions>): Promise<string | undefined> =>
      (await (await createNodePython({ setting: "", ...parts, ...more })).start("a.py", folder)).words[0];
    const found = [
      await started({ setting: setting ?? "", findChosenInterpreter: async () => chosen }),
      await started({ setting: "python3", findChosenInterpreter: async () => chosen }),
      await started({ findChosenInterpreter: async () => chosen }),
      await started({ findChosenInterpreter: () => Promise.reject(new Error("no answer")) }),
      await started({ listFolders: () => [] }),
    ];
    assert.deepEqual(found, [setting, common, chosen, own, common]);
  });

  it("is withheld, with the reason, where there is none", async () => {
    const env = { PATH: "/nowhere" };
    const gone = await benched({}, { env, listFolders: () => [] });
    const wrong = await benched({}, { setting: "/nowhere/python" });
    const why = ({ bench }: PlantedBench) =>
      bench.commands.withheld.find(({ name }) => name === "execute_python_code")?.why;
    assert.deepEqual(
      [why(gone), why(wrong)],
      [
        "There is no Python on this machine. Install it, or name one in autogpt.python.interpreter.",
        "autogpt.python.interpreter names /nowhere/python, which isn't a program on this machine. Correct the setting.",
      ],
    );
  });

  it("says so when the interpreter went away in the middle of a run", async () => {
    const setting = await pretender(join(await tempFolder(), "py"));
    const { bench } = await benched({}, { setting });
    await rm(setting);
    assert.deepEqual(await bench.call("execute_python_code", { code: "1" }), {
      status: "failed",
      error: `autogpt.python.interpreter names ${setting}, which isn't a program on this machine. Correct the setting.`,
    });
  });

  describe("in Docker", () => {
    before(() => skipWithout("a POSIX shell and its programs"));
    /** A Docker that says what it is asked, and answers as its engine would or would not. */
    async function docker(answers: boolean): Promise<{ readonly env: NodeJS.ProcessEnv; readonly told: string }> {
      const folder = await tempFolder();
      const told = join(folder, "told");
      await pretender(
        join(folder, "docker"),
        `echo "$@" >> '${told}'; ${answers ? 'case "$1" in run) sleep 9;; esac' : "exit 1"}`,
      );
      return { env: { PATH: `${folder}${delimiter}/usr/bin${delimiter}/bin` }, told };
    }

    it("runs in a container that sees the workspace alone, and removes one that takes too long", async () => {
      const { env, told } = await docker(true);
      const { bench, folder } = await benched({ "a.py": "", ".git/HEAD": "" }, { useDocker: true, env });
      const outcome = await bench.call("execute_python_file", {
        filename: "a.py",
        args: ["x y"],
        timeout: 1,
      });
      const lines = (await readFile(told, "utf8"))
        .replaceAll(/autogpt-[\da-f-]{36}/g, "NAME")
        .trim()
        .split("\n");
      assert.deepEqual(
        [outcome.status, lines],
        [
          "failed",
          [
            "version --format {{.Server.Version}}",
            `run --rm --init --name NAME --cap-drop ALL --security-opt no-new-privileges --user ${process.getuid?.()}:${process.getgid?.()} --env HOME=/tmp --mount type=bind,source=${folder},target=/workspace --mount type=bind,source=${folder}/.git,target=/workspace/.git,readonly --workdir /workspace python:3-slim python -u /workspace/a.py x y`,
            "rm --force NAME",
          ],
        ],
      );
    });

    it("mounts code that is not in the workspace beside it", async () => {
      const { env } = await docker(true);
      const { bench, runFolder } = await benched({}, { useDocker: true, env });
      const prepared = await bench.prepare("execute_python_code", { code: "1" });
      assert.ok(isPrepared(prepared) && prepared.preview.kind === "details");
      assert.match(
        prepared.preview.text,
        new RegExp(`--mount type=bind,source=${runFolder}/code/1.py,target=/code.py,readonly .* python -u /code.py`),
      );
    });

    it("is withheld, with the reason, where no engine answers, none is installed, or the sandbox is on", async () => {
      const { env } = await docker(false);
      const reasons = [
        await benched({}, { useDocker: true, env }),
        await benched({}, { useDocker: true, env: { PATH: "/nowhere" } }),
        await benched({}, { useDocker: true, sandboxed: true }),
      ].map(({ bench }) => bench.commands.withheld.find(({ name }) => name === "execute_python_file")?.why);
      assert.deepEqual(reasons, [
        "autogpt.python.useDocker is on, and Docker's engine does not answer. Start it, or turn the setting off.",
        "autogpt.python.useDocker is on, and Docker is not installed. Install it, or turn it off.",
        "autogpt.python.useDocker and autogpt.shell.sandbox exclude each other, since the sandbox keeps commands from Docker's engine. Turn one of them off.",
      ]);
    });
  });
});
