import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isHostName, listSshHosts } from "../../../../src/fleet/ssh/hosts.ts";
import { createRemoteShell } from "../../../../src/fleet/ssh/remote-shell.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

const MAIN = `# Host commented
Host *
  User ada
Host=box "my mac" lab-1 # the lab
Include conf.d/* missing
Match host never
host !not *.example.com gpu?
Include "conf.d/a"
`;

describe("the machines of an ssh configuration", () => {
  it("are those with a name, also of included files, in their order", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, "conf.d"));
    await writeFile(join(folder, "config"), MAIN);
    await writeFile(join(folder, "conf.d", "a"), "Host inner box\nInclude ../config\n");
    await writeFile(join(folder, "conf.d", ".hidden"), "Host hidden\n");
    const found = await listSshHosts(join(folder, "config"));
    const none = await listSshHosts(join(folder, "none"));
    assert.deepEqual({ found, none }, { found: ["box", "lab-1", "inner"], none: [] });
  });

  it("have names that neither ssh nor a shell takes for anything else", () => {
    const names = [
      "box",
      "-oProxyCommand=x",
      "a b",
      "a;b",
      "$(x)",
      "a@b",
      "",
      "b/c",
      "x'y",
      "[::1]",
      "a\nb",
      "a.b_c-d",
    ];
    const taken = names.filter(isHostName);
    const refused = names
      .filter((name) => !taken.includes(name))
      .map((name) => {
        try {
          return createRemoteShell(name).host;
        } catch (error) {
          return error instanceof Error ? error.message.slice(-40) : "";
        }
      });
    assert.deepEqual(
      { taken, refused: new Set(refused) },
      { taken: ["box", "a.b_c-d"], refused: new Set(["letters, digits, dots, dashes and underscores.".slice(-40)]) },
    );
  });
});
