import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../host/places.ts";

describe("tools of the editor", () => {
  it("are called in one place, which our own tool can look at", () => {
    const calling = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) =>
      /\.invokeTool\(/.test(readFileSync(join(ROOT, file), "utf8")),
    );
    assert.deepEqual(calling, ["src/vscode/host/editor-tools.ts"]);
  });
});
