import assert from "node:assert/strict";
import { WebError } from "../../../../src/core/ports/services.ts";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";
import { createGetter } from "../../../../src/node/web/get.ts";
import { createWebConnectionError } from "../../../../src/node/web/request.ts";
import { page, webServers } from "../../../support/web-server.ts";

/** What comes of asking for an address: "reached", or the first words of the refusal. */
async function outcome(address: string, checkAddress: ReturnType<typeof createAddressCheck>): Promise<string> {
  return checkAddress(new URL(address)).then(
    () => "reached",
    (error: unknown) => (error instanceof WebError ? error.message.split(" is not on ")[0] : String(error)) ?? "",
  );
}

const never = async (): Promise<readonly string[]> => [];

describe("reaching a host", () => {
  it("refuses this machine and its network in every spelling", async () => {
    const spellings = [
      "http://127.0.0.1/",
      "http://2130706433/",
      "http://0x7f000001/",
      "http://0x7f.0.0.1/",
      "http://0177.0.0.1/",
      "http://0177.1/",
      "http://127.1/",
      "http://127.0.0.1./",
      "http://%31%32%37.0.0.1/",
      "http://１２７.０.０.１/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://[::ffff:7f00:1]/",
      "http://[0:0:0:0:0:0:0:1]/",
      "http://[fe80::1]/",
      "http://[fd00:ec2::254]/",
      "http://0/",
      "http://3232235777/",
      "http://169.254.169.254/latest/meta-data/",
      "http://0xa9fea9fe/",
      "http://0251.0376.0251.0376/",
      "http://100.100.100.200/",
      "http://[64:ff9b::a9fe:a9fe]/",
    ];
    const reached: string[] = [];
    for (const spelling of spellings)
      if (
        !/^[\d.:a-f]+$/.test(
          await outcome(
            spelling,
            createAddressCheck(() => [], never),
          ),
        )
      )
        reached.push(spelling);
    assert.deepEqual(reached, []);
  });

  it("refuses a name that leads there, even if only one of its addresses does", async () => {
    const names: Readonly<Record<string, readonly string[]>> = {
      localhost: ["127.0.0.1", "::1"],
      "intern.example.com": ["10.1.2.3"],
      "two.example.com": ["93.184.216.34", "192.168.0.7"],
      "metadata.google.internal": ["169.254.169.254"],
      "six.example.com": ["::ffff:10.0.0.1"],
      "fine.example.com": ["93.184.216.34"],
    };
    const checkAddress = createAddressCheck(
      () => [],
      async (host) => names[host] ?? [],
    );
    assert.deepEqual(await Promise.all(Object.keys(names).map((name) => outcome(`https://${name}/`, checkAddress))), [
      "localhost (127.0.0.1)",
      "intern.example.com (10.1.2.3)",
      "two.example.com (192.168.0.7)",
      "metadata.google.internal (169.254.169.254)",
      "six.example.com (::ffff:10.0.0.1)",
      "reached",
    ]);
  });

  it("lets hosts through that the user allows, by name, by address and by port", async () => {
    const checkAddress = createAddressCheck(
      () => ["Localhost", "127.0.0.1:8080", "::1", "10.0.0.5"],
      async () => ["127.0.0.1"],
    );
    assert.deepEqual(
      await Promise.all(
        [
          "http://localhost:3000/",
          "http://LOCALHOST./",
          "http://127.0.0.1:8080/",
          "http://127.0.0.1:8081/",
          "http://[::1]:9/",
          "http://0x0a000005/",
          "http://evil-localhost/",
        ].map((address) => outcome(address, checkAddress)),
      ),
      ["reached", "reached", "reached", "127.0.0.1", "reached", "reached", "evil-localhost (127.0.0.1)"],
    );
  });

  it("says when a name is not found, and what to do", async () => {
    await assert.rejects(createAddressCheck(() => [], never)(new URL("https://nowhere.example/")), {
      name: "WebError",
      message:
        "The name nowhere.example was not found. Check its spelling. If others are not found either, there is no network here: work without it, or tell the user.",
    });
  });

  it("distinguishes a missing network from a missing name, for people", async () => {
    const codes = ["EAI_AGAIN", "ENOTFOUND"];
    const shown = await Promise.all(
      codes.map((code) =>
        createAddressCheck(
          () => [],
          async () => Promise.reject(Object.assign(new Error(code), { code })),
        )(new URL("https://a.example/")).catch((error: unknown) => error instanceof WebError && error.shown?.code),
      ),
    );
    const routeless = createWebConnectionError(
      Object.assign(new Error("x"), { code: "ENETUNREACH" }),
      new URL("https://a.example/"),
    );
    assert.deepEqual([...shown, routeless.shown?.code], ["results.offline", "results.hostNotFound", "results.offline"]);
  });

  it("reports a resolver that breaks as a name that is not found", async () => {
    const checkAddress = createAddressCheck(
      () => [],
      async () => Promise.reject(new Error("EAI_AGAIN")),
    );
    await assert.rejects(checkAddress(new URL("https://a.example/")), /The name a\.example was not found/);
  });
});

describe("a name that changes between the check and the connection", () => {
  const server = webServers();

  it("is looked up once, and the connection goes where the check went", async () => {
    const { port, asked } = await server((_asked, answer) => page(answer, "here"));
    let lookups = 0;
    // The checked address is this server's; whoever looked the name up again would be sent elsewhere.
    const checkAddress = createAddressCheck(
      () => ["rebinding.example"],
      async () => {
        lookups += 1;
        return lookups === 1 ? ["127.0.0.1"] : ["192.0.2.1"];
      },
    );
    const answer = await createGetter(checkAddress)(new URL(`http://rebinding.example:${port}/`), {
      signal: new AbortController().signal,
      most: 100,
      seconds: 5,
      accept: "*/*",
    });
    assert.deepEqual(
      { lookups, asked, said: answer.body.bytes.toString() },
      { lookups: 1, asked: ["GET /"], said: "here" },
    );
  });

  it("is refused when it turns to this machine before the next request", async () => {
    const { port, asked } = await server((_asked, answer) => page(answer, "secret"));
    const answers = [["93.184.216.34"], ["127.0.0.1"]];
    const checkAddress = createAddressCheck(
      () => [],
      async () => answers.shift() ?? [],
    );
    const url = new URL(`http://rebinding.example:${port}/`);
    await checkAddress(url);
    const getting = { signal: new AbortController().signal, most: 100, seconds: 5, accept: "*/*" };
    const refused = await createGetter(checkAddress)(url, getting).catch((error: unknown) => error instanceof WebError);
    assert.deepEqual({ refused, asked }, { refused: true, asked: [] });
  });
});
