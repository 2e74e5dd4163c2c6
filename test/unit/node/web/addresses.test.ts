import assert from "node:assert/strict";
import { createAddressCheck, isPublicAddress } from "../../../../src/node/web/address-check.ts";

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "172.15.255.255",
  "172.32.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:830::200e",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
];

const SPECIAL = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "168.63.129.16",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.168.1.1",
  "192.175.48.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "0:0:0:0:0:ffff:a9fe:a9fe",
  "64:ff9b::a00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "3fff::1",
  "5f00::1",
  "",
  "localhost",
  "1.2.3",
  "0x7f.1",
];

describe("addresses of the public internet", () => {
  it("are distinguished from all that are special", () => {
    assert.deepEqual(
      {
        wronglySpecial: PUBLIC.filter((address) => !isPublicAddress(address)),
        wronglyPublic: SPECIAL.filter(isPublicAddress),
      },
      { wronglySpecial: [], wronglyPublic: [] },
    );
  });
});

describe("a host that is looked up", () => {
  /** The addresses that are found, or the error's first words. */
  const checked = async (url: string, allowed: readonly string[], found: readonly string[] = ["127.0.0.1"]) =>
    createAddressCheck(
      () => allowed,
      async () => found,
    )(new URL(url)).then(
      (addresses) => addresses.map(({ address, family }) => `${address} ${family}`),
      (error: Error) => error.message.split(" ").slice(0, 4).join(" "),
    );

  it("may be on this machine only if the user names it, with or without its port", async () => {
    const url = "http://wiki.example:8080/";
    assert.deepEqual(
      {
        nobody: await checked(url, []),
        name: await checked(url, ["other.example", " WIKI.example "]),
        port: await checked(url, ["wiki.example:8080"]),
        anotherPort: await checked(url, ["wiki.example:80"]),
        usualPort: await checked("http://wiki.example/", ["wiki.example:80"]),
        usualSecurePort: await checked("https://wiki.example/", ["wiki.example:443"]),
        insecurePort: await checked("https://wiki.example/", ["wiki.example:80"]),
        finalDot: await checked("http://wiki.example./", ["wiki.example"]),
        writtenDot: await checked("http://wiki.example./", ["wiki.example."]),
        brackets: await checked("http://[::1]:80/", ["[::1]"]),
        bracketsAndPort: await checked("http://[::1]:8080/", ["[::1]:8080"]),
        bare: await checked("http://[::1]/", ["::1"]),
      },
      {
        nobody: "wiki.example (127.0.0.1) is not",
        name: ["127.0.0.1 4"],
        port: ["127.0.0.1 4"],
        anotherPort: "wiki.example (127.0.0.1) is not",
        usualPort: ["127.0.0.1 4"],
        usualSecurePort: ["127.0.0.1 4"],
        insecurePort: "wiki.example (127.0.0.1) is not",
        finalDot: ["127.0.0.1 4"],
        writtenDot: ["127.0.0.1 4"],
        brackets: ["::1 6"],
        bracketsAndPort: ["::1 6"],
        bare: ["::1 6"],
      },
    );
  });

  it("is not asked when only one of its addresses is not public, or when it has none", async () => {
    const url = "https://site.example/";
    assert.deepEqual(
      {
        public: await checked(url, [], ["1.1.1.1", "2606:4700:4700::1111"]),
        mixed: await checked(url, [], ["1.1.1.1", "10.0.0.1"]),
        none: await checked(url, [], []),
        noAddress: await checked(url, [], ["1.1.1.1", "elsewhere.example"]),
        literal: await checked("http://1.1.1.1/", [], []),
      },
      {
        public: ["1.1.1.1 4", "2606:4700:4700::1111 6"],
        mixed: "site.example (10.0.0.1) is not",
        none: "The name site.example was",
        noAddress: "The name site.example was",
        literal: ["1.1.1.1 4"],
      },
    );
  });
});
