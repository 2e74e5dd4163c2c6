import assert from "node:assert/strict";
import { Grants } from "../../../../src/safety/policy/grants.ts";

describe("what was granted in advance", () => {
  it("is counted down by what it approves, and never below nothing", () => {
    const grants = new Grants();
    grants.grantNext(2);
    grants.startContinuous(1);
    const left: unknown[] = [[grants.left, grants.continuousLeft]];
    for (const by of ["grant", "continuous", "grant", "continuous", "grant"] as const) {
      grants.use(by);
      left.push([grants.left, grants.continuousLeft]);
    }
    assert.deepEqual(left, [
      [2, 1],
      [1, 1],
      [1, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  it("is a whole number of commands, the classic -5 among them, or nothing", () => {
    const counts = [5, -5, 2.9, 0, Number.NaN, Number.POSITIVE_INFINITY].map((count) => {
      const grants = new Grants();
      grants.grantNext(count);
      return grants.left;
    });
    assert.deepEqual(counts, [5, 5, 2, 0, 0, 0]);
  });

  it("ends without continuous mode ending, the other way round, and both at once", () => {
    const ends: readonly ((grants: Grants) => void)[] = [
      (grants) => grants.endGrant(),
      (grants) => grants.stopContinuous(),
      (grants) => grants.endAll(),
    ];
    const left = ends.map((end) => {
      const grants = new Grants();
      grants.grantNext(3);
      grants.startContinuous(4);
      end(grants);
      return [grants.left, grants.continuousLeft];
    });
    assert.deepEqual(left, [
      [0, 4],
      [3, 0],
      [0, 0],
    ]);
  });

  it("holds hosts in any case of letters until they are forgotten", () => {
    const grants = new Grants();
    grants.allowHosts(["A.org", "b.org", "a.ORG"], "call_api");
    grants.forgetHost("B.ORG");
    assert.deepEqual(grants.hosts, ["a.org"]);
  });

  it("reports every change, nothing else, and nothing more once no one listens", () => {
    const grants = new Grants();
    let told = 0;
    const forget = grants.onChange(() => told++);
    grants.grantNext(1);
    grants.grantNext(1);
    grants.allowHosts(["a.org"], "call_api");
    grants.allowHosts(["a.org"], "call_api");
    grants.forgetHost("b.org");
    grants.endAll();
    forget();
    grants.grantNext(9);
    assert.equal(told, 3);
  });
});
