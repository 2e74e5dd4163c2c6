import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { RedactedStream } from "../../../../src/node/processes/redacted-stream.ts";
import { createNodeShell } from "../../../../src/node/processes/shell.ts";
import { makeSecrets } from "../../../../src/runs/log/secrets.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const OWN = "my-very-own-key-0123456789";
const TOKEN = `ghp_${"a1B2c3D4e5".repeat(3)}`;
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODk\n".repeat(30)}-----END RSA PRIVATE KEY-----`;

/** Texts with secrets in every kind of place. */
const TEXTS: readonly string[] = [
  `key ${OWN} and ${TOKEN}\nand on\n`,
  `${PEM}\nafter\n`,
  `a ${PEM} b ${OWN}`,
  `${"x".repeat(70_000)} ${TOKEN} ${"y".repeat(70_000)}${OWN}`,
  `postgres://u:pass${"w".repeat(30)}@h/db\nAuthorization: Bearer ${"t0k3n".repeat(10)}\n`,
  `${"no secret here\n".repeat(200)}${OWN}\n`,
  `DB_PASSWORD=hunter2\n${inLines(Buffer.from(`${"ab;".repeat(60)}${OWN}${"cd;".repeat(60)}`).toString("base64"), 76)}\nend\n`,
  `hex: ${inLines(Buffer.from(`${"ab;".repeat(60)}${TOKEN}, ${"cd;".repeat(60)}`).toString("hex"), 60)}\nend\n`,
  `${inLines(Buffer.from(`${"0123;".repeat(15_000)}${OWN}${"cd;".repeat(9000)}`).toString("base64"), 76)}\n`,
];

function inLines(text: string, columns: number): string {
  return text.replace(new RegExp(`.{${columns}}`, "g"), "$&\n");
}

/** Every mark is the same, for its number depends on which secret comes first. */
function secrets() {
  return makeSecrets([OWN], () => "000001");
}

/** A text taken in pieces that end at these places. */
function inPieces(text: string, ends: readonly number[]): string {
  const stream = new RedactedStream(secrets().redact);
  const places = [0, ...ends.map((end) => end % (text.length + 1)).sort((a, b) => a - b), text.length];
  const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
  return pieces.map((piece) => stream.add(piece)).join("") + stream.finish();
}

describe("secrets in a text that comes in pieces", () => {
  const tempFolder = tempFolders();

  it("are taken out as they are from the whole text, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.constantFrom(...TEXTS), fc.array(fc.nat(200_000), { maxLength: 12 }), (text, ends) => {
        assert.equal(inPieces(text, ends), secrets().redact(text));
      }),
      { numRuns: 150 },
    );
  });

  it("are taken out however small the pieces are", () => {
    for (const text of TEXTS.filter(({ length }) => length < 5000))
      assert.equal(
        inPieces(
          text,
          Array.from({ length: text.length }, (_, at) => at),
        ),
        secrets().redact(text),
      );
  });

  it("give nothing away, and hold little back, in a line that never ends", () => {
    const stream = new RedactedStream(secrets().redact);
    let given = "";
    for (let count = 0; count < 40; count++) given += stream.add(`${"z".repeat(8000)}${OWN}`);
    assert.deepEqual([given.length > 200_000, (given + stream.finish()).includes(OWN)], [true, false]);
  });

  it("are not in the file that keeps a command's full output, nor split over two chunks", async () => {
    skipWithout("a POSIX shell and its programs");
    const outputFolder = await tempFolder();
    const shell = createNodeShell({ outputFolder, redact: secrets().redact });
    const half = OWN.slice(0, 9);
    const line = `printf 'first ${half}'; sleep 0.2; printf '${OWN.slice(9)} second\\n'; echo ${TOKEN}`;
    const { signal } = new AbortController();
    await shell.run(line, {
      cwd: outputFolder,
      step: 3,
      timeoutSeconds: 20,
      signal,
      reportOutput: () => undefined,
    });
    assert.equal(
      await readFile(join(outputFolder, "3.txt"), "utf8"),
      "first [secret 000001: API key] second\n[secret 000001: GitHub token]\n",
    );
  });
});
