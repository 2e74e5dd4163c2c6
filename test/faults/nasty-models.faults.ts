import assert from "node:assert/strict";
import { type FakeModelServer, fakeModelServer } from "../support/fake-model-server.ts";
import { nastyRuns } from "../support/nasty-runs.ts";

const RUNS = Number(process.env.FAULTS_RUNS ?? 200);

describe("runs against a model server that misbehaves in 3 answers of 10", function () {
  this.timeout(0);
  let servers: readonly FakeModelServer[] = [];
  before(async () => {
    servers = await Promise.all(Array.from({ length: 6 }, () => fakeModelServer()));
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  it("all end as runs may end, and begin nothing that was not readable, checked and approved", async () => {
    const { ends, steps, wrong } = await nastyRuns(servers, RUNS);
    console.log(`      ${RUNS} runs, ${steps} steps: ${JSON.stringify(ends)}`);
    assert.deepEqual(wrong, []);
  });
});
