import assert from "node:assert/strict";
import { panels } from "./support/browser.ts";
import { workedRun } from "./support/scenes.ts";

/** One red dot. */
const DOT =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

describe("a change that a step made in an editor", () => {
  const open = panels();

  it("can be saved until it is", async () => {
    const { page, send, said } = await open();
    const run = workedRun();
    run.step({ outcome: { status: "done", output: "Edited.", inEditor: ["/work/a.ts"] } });
    const step = run.steps.at(-1)?.step ?? 0;
    const save = page.getByRole("button", { name: "Save", exact: true });
    await send(...run.opening(), { type: "unsavedFiles", run: run.id, paths: ["/work/a.ts", "/work/b.ts"] });
    await save.click();
    const asked = await said();
    await send({ type: "unsavedFiles", run: run.id, paths: ["/work/b.ts"] });
    assert.deepEqual(
      { asked, buttons: await save.count() },
      { asked: [{ type: "saveChanges", run: run.id, step }], buttons: 0 },
    );
  });
});

describe("a picture that a step made", () => {
  const open = panels();

  it("is shown once it has come, with what it is for those who do not see it; an older one when it is asked for", async () => {
    const { page, send, said } = await open();
    const run = workedRun();
    run.step({ outcome: { status: "done", output: "Saved.", picture: "images/boat.png" } });
    const step = run.steps.at(-1)?.step ?? 0;
    await send(...run.opening());
    await page.getByRole("button", { name: "Show picture" }).click();
    await send({ type: "picture", run: run.id, step, data: DOT });
    const picture = page.getByRole("img", { name: "Picture images/boat.png" });
    await picture.waitFor();
    assert.deepEqual(
      {
        said: await said(),
        isDrawn: await picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth === 1),
        buttons: await page.getByRole("button", { name: "Show picture" }).count(),
      },
      { said: [{ type: "showPicture", run: run.id, step }], isDrawn: true, buttons: 0 },
    );
  });
});
