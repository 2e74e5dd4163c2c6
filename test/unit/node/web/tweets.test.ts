import assert from "node:assert/strict";
import { computeOAuthHeader, createXPublisher, readOAuthKeys } from "../../../../src/node/web/tweets.ts";
import { webServers } from "../../../support/web-server.ts";

const KEYS = { consumerKey: "ck", consumerSecret: "cs", token: "t", tokenSecret: "ts" };

describe("posting on X", () => {
  const server = webServers();

  it("signs as the service's own worked example does", () => {
    const header = computeOAuthHeader(
      {
        consumerKey: "xvz1evFS4wEEPTGEFPHBog",
        consumerSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
        token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
        tokenSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
      },
      {
        method: "POST",
        address: "https://api.twitter.com/1.1/statuses/update.json",
        parameters: { include_entities: "true", status: "Hello Ladies + Gentlemen, a signed OAuth request!" },
        nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg",
        timestamp: 1_318_622_958,
      },
    );
    assert.equal(/oauth_signature="([^"]+)"/.exec(header)?.[1], encodeURIComponent("hCtSmYh+iHYCEqBWrE7C7hYmtUk="));
  });

  it("reads four keys from a line, and no other number of them", () => {
    assert.deepEqual(
      ["a b c d", "a:b:c:d", " a, b; c  d ", "a b c", "a b c d e", ""].map((line) => readOAuthKeys(line)?.tokenSecret),
      ["d", "d", "d", undefined, undefined, undefined],
    );
  });

  it("publishes a text, and says what happened to one that was not taken", async () => {
    const answers: Readonly<Record<string, readonly [number, string]>> = {
      fine: [201, '{"data":{"id":"77"}}'],
      key: [401, "{}"],
      twice: [403, "{}"],
      many: [429, "{}"],
      odd: [200, "no JSON"],
    };
    const bodies: string[] = [];
    const { address } = await server(async (request, answer) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      const [status, text] = answers[JSON.parse(body).text] ?? [500, ""];
      answer.writeHead(status).end(request.headers.authorization?.startsWith("OAuth oauth_consumer_key=") ? text : "");
    });
    const post = (text: string): Promise<string> =>
      createXPublisher(KEYS, "set the keys", address)
        .post(text, new AbortController().signal)
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    const said: string[] = [];
    for (const text of Object.keys(answers)) said.push(await post(text));
    assert.deepEqual(
      { said, first: bodies[0] },
      {
        said: [
          "https://x.com/i/status/77",
          "127.0.0.1 rejects the keys. The user can change them: set the keys. Nothing was published.",
          "127.0.0.1 does not allow it: the text may have been published before, or the app may only read. Nothing was published.",
          "127.0.0.1 takes no more posts for now. Nothing was published; try again in a quarter of an hour.",
          "127.0.0.1 answered 200. Check whether it was published before you try again.",
        ],
        first: '{"text":"fine"}',
      },
    );
  });

  it("says that the result is unknown when the connection breaks", async () => {
    const { address } = await server((request) => request.socket.destroy());
    await assert.rejects(createXPublisher(KEYS, "set the keys", address).post("x", new AbortController().signal), {
      message: "127.0.0.1 could not be reached. It's unknown whether it was published, so don't repeat it.",
    });
  });
});
