import assert from "node:assert/strict";
import type { AttachedPicture } from "../../src/schema/run-values.ts";
import { seriousFindings } from "./support/axe.ts";
import { panels } from "./support/browser.ts";
import { workedRun } from "./support/scenes.ts";

const NAME = "screenshot-3.png";

describe("a picture of a result", () => {
  const openPanel = panels();

  it("is marked with the pointer and the keyboard, and sent with a comment; an unsent text stays", async () => {
    const run = workedRun();
    const { page, send, said, troubles } = await openPanel({ width: 300, height: 638 });
    const png = await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(640, 400);
      const drawing = canvas.getContext("2d");
      if (drawing) drawing.fillStyle = "#204060";
      drawing?.fillRect(0, 0, 640, 400);
      return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer())];
    });
    const data = Buffer.from(png).toString("base64");
    const file = `${"0".repeat(64)}.png`;
    const facts = { mediaType: "image/png", width: 640, height: 400, bytes: png.length } as const;
    const pictures: readonly AttachedPicture[] = [{ name: NAME, file, ...facts }];
    run.step({ outcome: { status: "done", output: "A page", pictures } });
    await send(...run.opening());
    await send({ type: "attached", run: run.id, file, data: `data:image/png;base64,${data}` });
    await page.getByRole("textbox").first().fill("Not yet sent");
    await said();
    const open = page.getByRole("button", { name: "Mark and send" }).first();
    await open.press("Enter");
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
    const order: (string | undefined)[] = [];
    for (let stops = 0; stops < 4; stops++) {
      order.push(
        await page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.tagName),
      );
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Escape");
    const isBack = await open.evaluate((button) => button === document.activeElement);
    await open.click();
    const dialog = page.getByRole("dialog", { name: `Mark a place on ${NAME}` });
    const area = dialog.getByRole("group");
    const box = (await area.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width * 0.1, box.y + box.height * 0.2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.6, { steps: 3 });
    await page.mouse.up();
    await area.press("ArrowRight");
    await area.press("Shift+ArrowDown");
    const named = await area.getAttribute("aria-label");
    await dialog.getByLabel("Comment").fill("This overlaps");
    await page.screenshot({ path: "test/shots/marking.png" });
    const found = await seriousFindings(page);
    await dialog.getByRole("button", { name: "Send with comment" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.waitForFunction(() => window.heard.some((message) => JSON.stringify(message).includes('"say"')));
    const unsent = await page.locator("textarea").first().inputValue();
    const sent = (await said()).find(({ type }) => type === "say");
    const [marked] = sent?.type === "say" ? (sent.pictures ?? []) : [];
    const colors = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const drawing = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      drawing?.drawImage(bitmap, 0, 0);
      const read = (x: number, y: number) => [...(drawing?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3).join();
      return { size: [bitmap.width, bitmap.height], inside: read(200, 160), edge: read(Math.round(0.12 * 640), 160) };
    }, marked?.data ?? "");
    assert.deepEqual(
      {
        keyboard: { ring, order, isBack },
        named,
        unsent,
        text: sent?.type === "say" && sent.text,
        name: marked?.name,
        ...colors,
        found,
        troubles: troubles(),
      },
      {
        keyboard: { ring: "solid", order: ["DIV", "TEXTAREA", "Send with comment", "Cancel"], isBack: true },
        named: "Frame at 12 %, 20 %, 40 % wide, 42 % high",
        unsent: "Not yet sent",
        text: "This overlaps",
        name: "marked-screenshot-3.png",
        size: [640, 400],
        inside: "32,64,96",
        edge: "229,20,0",
        found: [],
        troubles: [],
      },
    );
  });
});
