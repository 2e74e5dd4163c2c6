import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describeBrokenSyntax } from "../../../src/commands/syntax.ts";
import { createNodePythonSyntax } from "../../../src/node/python/python-syntax.ts";
import { plantedBenches } from "../../support/planted-bench.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const { signal } = new AbortController();
const python = createNodePythonSyntax(() => []);

describe("the syntax of a file after a change", () => {
  const tempFolder = tempFolders();
  const planted = plantedBenches();

  const cases: readonly (readonly [
    what: string,
    label: string,
    before: string | undefined,
    after: string,
    told: RegExp,
  ])[] = [
    ["broken JSON", "a.json", '{"a": 1}', '{\n"a": 1,\n}', /^This change has broken its syntax: line 3: .*\(JSON\)\.$/],
    ["new JSON", "a.json", undefined, '{"a": }', /^Its syntax is wrong: line 1: Value expected \(JSON\)\.$/],
    ["JSON that was broken before", "a.json", '{"a": ', '{"a": 1', /^$/],
    ["a comment in JSON", "a.json", "{}", "{} // why", /^This change has broken its syntax: line 1: /],
    ["JSON that had comments before", "a.json", "{} // why", '{"a": 1} // why', /^$/],
    ["JSON with comments that is broken", "a.json", "{} // why", '{"a": // why', /broken its syntax: line 1/],
    ["settings with comments", ".vscode/settings.json", undefined, "{\n// why\n}", /^$/],
    ["a project of TypeScript", "app/tsconfig.base.json", "{}", '{"a": [1,],} // why', /^$/],
    ["broken YAML", "a.yml", "a: 1\n", "a: 1\nb: [1\n", /^This change has broken its syntax: line \d: .*\(YAML\)\.$/],
    ["several documents of YAML", "a.yaml", undefined, "a: 1\n---\nb: !Ref c\n", /^$/],
    ["a template for YAML", "a.yaml", undefined, "a: {{ .Values.a }}: 1\n", /^$/],
    [
      "broken Python",
      "a.py",
      "a = 1\n",
      "a = 1\ndef b(:\n",
      /broken its syntax: line 2: invalid syntax \(Python 3\.\d+\)\.$/,
    ],
    ["Python that is fine", "a.py", undefined, "import no_such_module\nprint('é')\n", /^$/],
    ["Python that was broken before", "a.py", "def b(:\n", "def b(:\n  pass\n", /^$/],
    ["an empty file", "a.json", "{}", "", /^$/],
    ["a text", "a.txt", undefined, "{", /^$/],
  ];
  for (const [what, label, before, after, told] of cases)
    it(`is reported with its line if it was fine before: ${what}`, async () => {
      assert.match(await describeBrokenSyntax({ label, before, after }, python, signal), told);
    });

  it("is a part of the outcome of the change", async () => {
    const { bench } = await planted({ "a.json": '{\n  "a": 1\n}\n' });
    const outcome = await bench.call("edit_file", { filename: "a.json", search: "1", replace: "1," });
    assert.match(
      outcome.status === "done" ? outcome.output : "",
      /^Edited "a\.json"[\s\S]*\nThis change has broken its syntax: line 3: /,
    );
  });

  it("is never checked by a Python of the workspace", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "python3"), `#!/bin/sh\ntouch ${join(folder, "ran")}\necho 1 no\n`);
    await chmod(join(folder, "python3"), 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    await writeFile(join(folder, "ast.py"), "raise SystemExit('imported')\n");
    const fault = await createNodePythonSyntax(() => [folder], env)("def b(:", signal);
    assert.deepEqual([typeof fault === "object" && fault.line, existsSync(join(folder, "ran"))], [1, false]);
  });
});
