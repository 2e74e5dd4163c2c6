import assert from "node:assert/strict";
import { type FakeModelServer, fakeModelServer } from "../../support/fake-model-server.ts";
import { nastyRuns } from "../../support/nasty-runs.ts";

/** The long form is `npm run test:faults`. */
const RUNS = 12;

describe("a run against a model server that misbehaves", () => {
  let servers: readonly FakeModelServer[] = [];
  before(async () => {
    servers = await Promise.all(Array.from({ length: 6 }, () => fakeModelServer()));
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  it("ends as runs may end, and begins nothing that was not readable, checked and approved", async () => {
    assert.deepEqual((await nastyRuns(servers, RUNS)).wrong, []);
  });
});
