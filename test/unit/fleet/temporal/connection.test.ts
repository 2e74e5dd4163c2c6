import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseTemporalAddress, removeUser } from "../../../../src/fleet/temporal/address.ts";
import { isOldServer, readConnectionOptions } from "../../../../src/fleet/temporal/connection.ts";
import { explainFailure } from "../../../../src/fleet/temporal/failures.ts";
import { DisplayError } from "../../../../src/texts/display-text.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { makeCertificates } from "../../../support/tls-servers.ts";

const tempFolder = tempFolders();

function parse(text: string): string {
  try {
    const { host, namespace, isLocal } = parseTemporalAddress(text);
    return `${host} ${namespace}${isLocal ? " here" : ""}`;
  } catch (error) {
    return error instanceof DisplayError ? "refused" : String(error);
  }
}

describe("a server that can't be reached", () => {
  it("is named with the reason of the connection, and without the library's words around it", () => {
    const details =
      "No connection established. Last error: Error: connect ECONNREFUSED 10.0.0.1:7233. Resolution note: ";
    const answer = Object.assign(new Error(`14 UNAVAILABLE: ${details}`), { code: 14, details, metadata: {} });
    const failed = new Error("Failed to list workflows", { cause: answer });
    const why = explainFailure(failed, { host: "box:7233", namespace: "team" });

    assert.equal(
      why instanceof Error ? why.message : why,
      "The Temporal server at box:7233 can't be reached: connect ECONNREFUSED 10.0.0.1:7233. Check its address and certificate, and your access.",
    );
  });
});

describe("the address of a repository in an order", () => {
  it("has no user and no password of the sender", () => {
    const texts = [
      "https://ada:token@box/a.git",
      "HTTP://token@box/a",
      "https://box/a@b",
      "ssh://git@box/a",
      "git@box:a",
      "/a",
    ];
    assert.deepEqual(texts.map(removeUser), ["https://box/a.git", "HTTP://box/a", ...texts.slice(2)]);
  });
});

describe("the address of a Temporal server", () => {
  it("has a host, and if it isn't the usual one, a port and a namespace", () => {
    const texts = [
      "temporal://box",
      "temporal://box:7000/team%20a",
      "temporal://localhost",
      "temporal://[::1]:7233/",
      "temporal://box/a/b",
      "temporal://user@box",
      "temporal://box/%zz",
      "temporal://box/team?x",
      "temporal://",
      "https://box",
      "box:7233",
    ];
    assert.deepEqual(texts.map(parse), [
      "box:7233 default",
      "box:7000 team a",
      "localhost:7233 default here",
      "[::1]:7233 default here",
      "refused",
      "refused",
      "refused",
      "refused",
      "refused",
      "refused",
      "refused",
    ]);
  });

  it("is reached with TLS unless it's this machine or the environment says otherwise", async () => {
    const { certificate: file, key } = await makeCertificates(join(await tempFolder(), "good"));
    const other = await makeCertificates(join(await tempFolder(), "other"));
    const junk = join(await tempFolder(), "junk.pem");
    await writeFile(junk, "PEM");
    const [far, near] = ["temporal://box", "temporal://127.0.0.1"].map(parseTemporalAddress);
    assert.ok(far && near);
    const read = async (address: typeof far, env: Record<string, string> = {}): Promise<string> => {
      const options = await readConnectionOptions(address, env).catch((error: Error) => error.message.slice(0, 50));
      if (typeof options === "string") return options;
      const named = options.tls ? `tls ${Object.keys(options.tls).join("+")}` : "plain";
      return "apiKey" in options ? `${named} key` : named;
    };
    const bad = "What AUTOGPT_TEMPORAL_CA, AUTOGPT_TEMPORAL_CERT an";
    assert.deepEqual(
      {
        far: await read(far),
        near: await read(near),
        said: await read(far, { AUTOGPT_TEMPORAL_PLAIN: "1" }),
        authority: await read(near, { AUTOGPT_TEMPORAL_CA: file }),
        client: await read(far, { AUTOGPT_TEMPORAL_CERT: file, AUTOGPT_TEMPORAL_KEY: key }),
        half: await read(far, { AUTOGPT_TEMPORAL_CERT: file }),
        otherKey: await read(far, { AUTOGPT_TEMPORAL_CERT: file, AUTOGPT_TEMPORAL_KEY: other.key }),
        junk: await read(far, { AUTOGPT_TEMPORAL_CERT: junk, AUTOGPT_TEMPORAL_KEY: key }),
        key: await read(far, { AUTOGPT_TEMPORAL_API_KEY: "k" }),
        noFile: await read(far, { AUTOGPT_TEMPORAL_CA: `${file}.gone` }),
      },
      {
        far: "tls ",
        near: "plain",
        said: "plain",
        authority: "tls serverRootCACertificate",
        client: "tls clientCertPair",
        half: bad,
        otherKey: bad,
        junk: bad,
        key: "tls  key",
        noFile: `AUTOGPT_TEMPORAL_CA names the file ${file}`.slice(0, 50),
      },
    );
  });

  it("is refused for a server that is too old, if it says its version", () => {
    assert.deepEqual(["1.19.9", "0.30.0", "1.20.0", "1.32.2", "2.0.0", "", "cloud"].map(isOldServer), [
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
