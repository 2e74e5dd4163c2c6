import assert from "node:assert/strict";
import { isThisMachine } from "../../../../src/core/base/http-message.ts";

/** Hosts of addresses or alone, and whether they are this machine for whoever sends something there without encryption. */
const HOSTS: Readonly<Record<string, boolean>> = {
  localhost: true,
  LOCALHOST: true,
  "127.0.0.1": true,
  "127.255.1.9": true,
  "::1": true,
  "[::1]": true,
  "api.localhost": false,
  "localhost.": false,
  "localhost.evil.example": false,
  "127.0.0.1.evil.example": false,
  "127.0.0.256": false,
  "127.1": false,
  "::ffff:127.0.0.1": false,
  "[::ffff:7f00:1]": false,
  "0.0.0.0": false,
  "10.0.0.1": false,
  "": false,
};

describe("a host that can only be this machine", () => {
  it("is one of its own addresses, or the name that every system has for them", () => {
    const hosts = Object.keys(HOSTS);
    assert.deepEqual(Object.fromEntries(hosts.map((host) => [host, isThisMachine(host)])), HOSTS);
  });
});
