import assert from "node:assert/strict";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findRunCommit, moveRunRef, openCarryGit } from "../../../../src/fleet/run-ref.ts";
import { FLEET_RUN, makeFleet } from "../../../support/fleet-machines.ts";
import { git } from "../../../support/repositories.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const HOOKS = ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"];
const REF = `refs/autogpt/${FLEET_RUN}`;

describe("the exchange of commits with a repository on this machine", () => {
  const tempFolder = tempFolders();

  async function meet() {
    const top = await tempFolder();
    const [machine] = await makeFleet(top, ["ada"]);
    if (!machine) throw new Error("There is no machine.");
    const { place, workspace } = machine;
    const made = await openCarryGit(place);
    return {
      top,
      place,
      origin: join(top, "origin.git"),
      own: made,
      commit: git(workspace, "rev-parse", "HEAD").trim(),
    };
  }

  it("runs none of its hooks, and no program that its settings name", async () => {
    const { top, place, origin, own, commit } = await meet();
    const script = join(top, "script");
    await writeFile(script, `#!/bin/sh\necho ran > "${join(top, "ran")}"\n`);
    await chmod(script, 0o755);
    for (const folder of [join(origin, "hooks"), join(top, "hooks")])
      for (const hook of HOOKS) {
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, hook), `#!/bin/sh\n"${script}"\n`, { mode: 0o755 });
      }
    git(origin, "config", "core.hooksPath", join(top, "hooks"));
    git(origin, "config", "core.fsmonitor", script);
    git(origin, "config", "core.alternateRefsCommand", script);
    await moveRunRef(place, own, FLEET_RUN, { from: "", to: commit });
    assert.deepEqual(
      { ran: (await readdir(top)).includes("ran"), there: git(origin, "rev-parse", REF).trim() },
      { ran: false, there: commit },
    );
  });

  it("finds a run by the whole name of its ref", async () => {
    const { place, origin, own, commit } = await meet();
    git(origin, "update-ref", `refs/a/${REF}`, commit);
    assert.equal(await findRunCommit(place, own, FLEET_RUN), undefined);
  });
});
