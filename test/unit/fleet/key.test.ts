import assert from "node:assert/strict";
import { chmod, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFleetKey, exportFleetKey, importFleetKey, loadFleetKey } from "../../../src/fleet/key.ts";
import { runProgram } from "../../support/headless.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("a fleet key", () => {
  it("is the same on the machine that it was imported on, and readable for its user alone", async () => {
    const [one, other] = [await tempFolder(), join(await tempFolder(), "data")];
    const made = await createFleetKey(one);
    const imported = await importFleetKey(other, `${await exportFleetKey(one)}\n`);
    const mode = (await stat(join(other, "fleet-key"))).mode & 0o777;
    assert.deepEqual(
      {
        same: imported.id === made.id && (await loadFleetKey(other))?.id === made.id,
        isPrivate: process.platform === "win32" || mode === 0o600,
        bytes: imported.decrypt("log", made.encrypt("log", Buffer.from("text"))).toString(),
        seal: imported.createSeal("claim")("text") === made.createSeal("claim")("text"),
        none: await loadFleetKey(await tempFolder()),
      },
      { same: true, isPrivate: true, bytes: "text", seal: true, none: undefined },
    );
  });

  it("that others of the machine could read is theirs no longer once it's used", async () => {
    skipWithout("files as POSIX has them");
    const data = await tempFolder();
    const { id } = await createFleetKey(data);
    await chmod(join(data, "fleet-key"), 0o644);
    const loaded = await loadFleetKey(data);
    const mode = (await stat(join(data, "fleet-key"))).mode & 0o777;
    assert.deepEqual({ id: loaded?.id, mode }, { id, mode: 0o600 });
  });

  it("isn't replaced by another one, and says what to do about each bad text", async () => {
    const [data, other] = [await tempFolder(), await tempFolder()];
    await createFleetKey(data);
    await createFleetKey(other);
    const damaged = await tempFolder();
    await writeFile(join(damaged, "fleet-key"), "autogpt-fleet-1 abc\n");
    const foreign = await exportFleetKey(other);
    const attempts = [
      () => createFleetKey(data),
      () => importFleetKey(data, foreign),
      () => importFleetKey(data, "hello"),
      () => loadFleetKey(damaged),
      async () => exportFleetKey(await tempFolder()),
    ];
    const said = await Promise.all(attempts.map((attempt) => attempt().then(String, (error: Error) => error.message)));
    assert.deepEqual(
      said.map((text) =>
        text
          .split(/[.:;] /)[0]
          ?.replace(data, "DATA")
          .replace(damaged, "DATA"),
      ),
      [
        "There is another fleet key in DATA/fleet-key",
        "There is another fleet key in DATA/fleet-key",
        "That isn't a fleet key",
        "The fleet key in DATA/fleet-key is damaged",
        "There is no fleet key on this machine",
      ],
    );
  });

  it("decrypts nothing of another key or purpose, and nothing that was changed or cut off", async () => {
    const [key, other] = [await createFleetKey(await tempFolder()), await createFleetKey(await tempFolder())];
    const bytes = key.encrypt("task", Buffer.from("a secret task"));
    const changed = Buffer.from(bytes);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    const tries = {
      right: () => key.decrypt("task", bytes),
      otherKey: () => other.decrypt("task", bytes),
      otherPurpose: () => key.decrypt("log", bytes),
      changed: () => key.decrypt("task", changed),
      cut: () => key.decrypt("task", bytes.subarray(0, 20)),
      empty: () => key.decrypt("task", Buffer.alloc(0)),
    };
    const found = Object.entries(tries).map(([name, act]) => {
      try {
        return [name, act().toString()];
      } catch (error) {
        return [name, /can't be read: it's damaged/.test(String(error))];
      }
    });
    assert.deepEqual(Object.fromEntries(found), {
      right: "a secret task",
      otherKey: true,
      otherPurpose: true,
      changed: true,
      cut: true,
      empty: true,
    });
  });

  it("is made, printed and taken over on the command line", async () => {
    const [workspace, one, other] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const call = (data: string, ...words: string[]) =>
      runProgram({ baseUrl: "http://127.0.0.1:1", workspace, data }, "fleet", "key", ...words);
    const made = await call(one, "create");
    const printed = await call(one, "export");
    await importFleetKey(other, printed.stdout);
    const again = await call(one, "create");
    assert.deepEqual(
      {
        codes: [made.code, printed.code, again.code],
        same: made.stdout.includes((await loadFleetKey(other))?.id ?? "none"),
        said: /another fleet key/.test(again.stderr),
        wrong: (await call(one, "lend")).stderr.split("\n")[0],
      },
      {
        codes: [0, 0, again.code],
        same: true,
        said: true,
        wrong: '"fleet key" takes one of these: create, export, import.',
      },
    );
  });
});
