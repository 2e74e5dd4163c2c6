import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import { DEMO_TASK, FIX } from "../../../src/models/demo/demo-files.ts";
import { createDemoScript } from "../../../src/models/demo/demo-script.ts";
import { createScriptedModel } from "../../../src/models/demo/scripted-model.ts";
import { beginRun } from "../../../src/runtime/compose-run.ts";
import { createDemoFolder, createDemoHost } from "../../../src/runtime/demo-host.ts";
import { ofType } from "../../support/rehearsal.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { testHost } from "../../support/test-host.ts";

const tempFolder = tempFolders();

/** A window in Restricted Mode whose user approves everything, and a demo in its storage. */
async function open() {
  const storage = await tempFolder();
  const demo = await createDemoFolder(storage, "shop-1");
  const model = createScriptedModel(createDemoScript("node check.mjs"), { tokensPerSecond: 1e6 });
  const models = { smart: model, fast: model };
  const plain = testHost({ data: storage, models });
  const window = {
    ...plain,
    workspace: { ...plain.workspace, isTrusted: () => false },
    approver: {
      ...plain.approver,
      createApprover: () => ({
        decide: async () => ({ decision: { allow: true as const }, by: "user" as const, reason: "Yes." }),
      }),
    },
  };
  const run = async (folder: string) => {
    const host = createDemoHost(window, storage, folder);
    const settings = host.getSettings(folder);
    const profile = completeProfile(DEMO_TASK);
    const begun = await beginRun(host, { task: DEMO_TASK, profile, folder, settings, models, mode: "ask" });
    const events: { readonly type: string }[] = [];
    begun.run.onEvent((event) => events.push(event));
    begun.live.resume();
    const end = await begun.live.end;
    await begun.dispose();
    return { end, events };
  };
  return {
    storage,
    demo,
    run,
    trusts: (folder: string) => createDemoHost(window, storage, folder).workspace.isTrusted(),
  };
}

describe("the demo in Restricted Mode", () => {
  it("fixes the bug, because its folder is ours", async () => {
    const { demo, run } = await open();
    const { end, events } = await run(demo);
    const cart = await readFile(join(demo, "cart.mjs"), "utf8");
    assert.deepEqual(
      {
        end: end.reason,
        fixed: cart.includes(FIX),
        refused: ofType(events as never, "decided").filter(({ allow }) => !allow),
      },
      { end: "finished", fixed: true, refused: [] },
    );
  });

  it("is refused, and isn't finished, once its folder is a link to a workspace's", async () => {
    const { demo, run } = await open();
    const workspace = await tempFolder();
    await cp(demo, workspace, { recursive: true });
    await rm(demo, { recursive: true });
    await symlink(workspace, demo, "junction");
    const { end } = await run(demo);
    const cart = await readFile(join(workspace, "cart.mjs"), "utf8");
    assert.deepEqual({ end: end.reason, fixed: cart.includes(FIX) }, { end: "stuck", fixed: false });
  });

  it("trusts no folder of a workspace, whatever its name or the links that lead to it or to us", async () => {
    const { storage, demo, trusts } = await open();
    const workspace = await tempFolder();
    const alike = join(workspace, "demo", "shop-1");
    await mkdir(alike, { recursive: true });
    await symlink(demo, join(workspace, "shop-1"), "junction");
    await mkdir(join(demo, "inner"));
    const folders = [workspace, alike, join(demo, "inner"), storage, join(storage, "demo"), join(demo, "..", "shop-2")];
    assert.deepEqual([demo, ...folders].map(trusts), [true, ...folders.map(() => false)]);
  });

  it("never works in a folder that is there already", async () => {
    const { storage } = await open();
    await assert.rejects(createDemoFolder(storage, "shop-1"), { code: "EEXIST" });
  });
});
