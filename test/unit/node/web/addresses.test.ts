import assert from "node:assert/strict";
import { isPublicAddress } from "../../../../src/node/web/address-check.ts";

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
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
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
  it("are told from all that are special", () => {
    assert.deepEqual(
      {
        wronglySpecial: PUBLIC.filter((address) => !isPublicAddress(address)),
        wronglyPublic: SPECIAL.filter(isPublicAddress),
      },
      { wronglySpecial: [], wronglyPublic: [] },
    );
  });
});
