import assert from "node:assert/strict";
import { isLocal, isLoopback, isOpenAi, normalizeBaseUrl } from "../../../../src/models/http/endpoint.ts";

describe("an address as people write it", () => {
  const cases: readonly [string, string][] = [
    ["https://api.openai.com/v1", "https://api.openai.com/v1"],
    [" https://api.openai.com/v1/// ", "https://api.openai.com/v1"],
    ["https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"],
    ["api.example.com/v1", "https://api.example.com/v1"],
    ["localhost:1234/v1", "http://localhost:1234/v1"],
    ["127.0.0.1:11434", "http://127.0.0.1:11434"],
    ["192.168.1.20:8000/v1", "http://192.168.1.20:8000/v1"],
    ["ftp://x", "ftp://x"],
    ["", ""],
  ];
  for (const [written, plain] of cases)
    it(`"${written}" is understood`, () => assert.equal(normalizeBaseUrl(written), plain));
});

describe("where an address leads", () => {
  const cases: readonly [string, "loopback" | "local" | "world"][] = [
    ["http://localhost:11434/v1", "loopback"],
    ["http://LOCALHOST/", "loopback"],
    ["http://api.localhost/", "loopback"],
    ["http://127.0.0.1/", "loopback"],
    ["http://127.1.2.3/", "loopback"],
    ["http://[::1]:8080/", "loopback"],
    ["http://10.0.0.7/", "local"],
    ["http://172.20.0.2/", "local"],
    ["http://192.168.0.2/", "local"],
    ["http://[fd00::1]/", "local"],
    ["http://nas.local/", "local"],
    ["http://host.docker.internal:11434/", "local"],
    ["http://gpu-box:8000/", "local"],
    ["http://172.32.0.2/", "world"],
    ["https://api.openai.com/", "world"],
    ["https://localhost.example.com/", "world"],
    ["https://127.0.0.1.example.com/", "world"],
    ["https://10.example.com/", "world"],
    ["http://[2001:db8::1]/", "world"],
    ["nonsense", "world"],
  ];
  for (const [address, where] of cases)
    it(`${address}: ${where}`, () => {
      assert.deepEqual([isLoopback(address), isLocal(address)], [where === "loopback", where !== "world"]);
    });
});

describe("OpenAI's own API", () => {
  it("is at one host, whatever others are called", () =>
    assert.deepEqual(
      {
        own: isOpenAi("https://API.OpenAI.com/v1"),
        lookAlike: isOpenAi("https://not-openai.com/v1"),
        otherHost: isOpenAi("https://eu.api.openai.com/v1"),
        inPath: isOpenAi("https://example.com/api.openai.com"),
        none: isOpenAi(""),
      },
      { own: true, lookAlike: false, otherHost: false, inPath: false, none: false },
    ));
});
