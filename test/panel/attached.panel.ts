import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { AttachedPicture } from "../../src/schema/run-values.ts";
import { PICTURES } from "../support/picture-files.ts";
import { seriousFindings } from "./support/axe.ts";
import { panels } from "./support/browser.ts";
import { scene, waitingRun } from "./support/scenes.ts";

const PNG = {
  name: "mock-up of the checkout page.png",
  mimeType: "image/png",
  buffer: bytesOf(PICTURES.png),
};
const GIF = { name: "b.gif", mimeType: "image/gif", buffer: bytesOf(PICTURES.gif) };
const SENT = { name: PNG.name, data: PICTURES.png };

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}

async function pick(page: Page, ...files: readonly (typeof PNG)[]): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles([...files]);
}

/** Pastes or drops files onto the text box, as the browser reports it. */
async function give(page: Page, how: "paste" | "drop", file: typeof PNG): Promise<void> {
  const { name, mimeType } = file;
  const data = file.buffer.toString("base64");
  await page.getByRole("textbox").evaluate(
    (box, given) => {
      const bytes = Uint8Array.from(atob(given.data), (char) => char.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], given.name, { type: given.mimeType }));
      const event =
        given.how === "paste"
          ? new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true })
          : new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
      box.dispatchEvent(event);
    },
    { how, name, mimeType, data },
  );
}

const removeButton = (page: Page, name: string) => page.getByRole("button", { name: `Remove ${name}` });

describe("pictures in the text box", () => {
  const open = panels();

  it("are picked, pasted and dropped, removed by keyboard, and sent with the task", async () => {
    const { page, send, said, troubles } = await open({ width: 300, height: 638 });
    await send(...scene("start"));
    await page.getByRole("textbox").fill("Build this");
    await pick(page, PNG);
    await removeButton(page, PNG.name).waitFor();
    await give(page, "paste", GIF);
    await removeButton(page, "b.gif").waitFor();
    await give(page, "drop", { ...GIF, name: "c.gif" });
    await removeButton(page, "c.gif").waitFor();
    const found = await seriousFindings(page);
    await page.screenshot({ path: "test/shots/attached-start.png" });
    await removeButton(page, "b.gif").press("Enter");
    await removeButton(page, "c.gif").press("Enter");
    const isInBox = await page.getByRole("textbox").evaluate((box) => box === document.activeElement);
    await page.keyboard.press("Enter");
    const requests = (await said()).filter(({ type }) => type !== "askSight");
    assert.deepEqual(
      { requests, isInBox, found, troubles: troubles() },
      {
        requests: [{ type: "start", task: "Build this", pictures: [SENT] }],
        isInBox: true,
        found: [],
        troubles: [],
      },
    );
  });

  it("that are large are scaled down, and files that are no pictures are refused by their bytes", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    const large = await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(4_000, 1_000);
      canvas.getContext("2d")?.fillRect(0, 0, 4_000, 500);
      const blob = await canvas.convertToBlob({ type: "image/png" });
      return [...new Uint8Array(await blob.arrayBuffer())];
    });
    await pick(page, { ...PNG, name: "wide.png", buffer: Buffer.from(large) });
    await page.getByText("2048 × 512").waitFor();
    await pick(page, {
      ...PNG,
      name: "no.png",
      buffer: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    });
    const bomb = bytesOf(PICTURES.png);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    const refusal = await page.getByText("no.png isn't a PNG, JPEG, GIF or WebP picture.").first().textContent();
    await pick(page, { ...PNG, name: "bomb.png", buffer: bomb });
    await page.getByText("bomb.png has more than 100 megapixels. Attach a smaller version.").first().waitFor();
    await page.getByRole("textbox").fill("Look");
    await page.keyboard.press("Enter");
    const start = (await said()).find((request) => request.type === "start");
    const [sent] = start?.type === "start" ? (start.pictures ?? []) : [];
    const bytes = bytesOf(sent?.data ?? "");
    assert.deepEqual(
      { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), name: sent?.name, refusal },
      {
        width: 2_048,
        height: 512,
        name: "wide.png",
        refusal: "no.png isn't a PNG, JPEG, GIF or WebP picture. Convert it, or attach another one.",
      },
    );
  });

  it("are eight at most", async () => {
    const { page, send } = await open();
    await send(...scene("start"));
    await pick(page, ...Array.from({ length: 9 }, (_, index) => ({ ...GIF, name: `${index}.gif` })));
    await page.getByText("Only 8 pictures fit into a message. Remove the others.").first().waitFor();
    assert.equal(await page.getByRole("list", { name: "Attached pictures" }).getByRole("listitem").count(), 8);
  });

  it("for a model that takes none aren't sent, until another one is chosen or they are removed", async () => {
    const { page, send, said } = await open({ width: 300, height: 638 });
    await send(...scene("start"));
    await page.getByRole("textbox").fill("Build this");
    await pick(page, PNG);
    await removeButton(page, PNG.name).waitFor();
    await send({ type: "sight", model: "gpt-3.5-turbo", sees: false });
    await page.getByText("gpt-3.5-turbo can't see pictures.").first().waitFor();
    const sendButton = page.getByRole("button", { name: "Send" });
    const whileUnseen = await sendButton.isDisabled();
    const found = await seriousFindings(page);
    await page.screenshot({ path: "test/shots/attached-unseen.png" });
    await page.getByRole("button", { name: "Select model" }).click();
    await send(...scene("start"), { type: "sight", model: "gpt-4o", sees: true });
    const afterChoice = await sendButton.isDisabled();
    assert.deepEqual(
      { whileUnseen, afterChoice, found, said: await said() },
      {
        whileUnseen: true,
        afterChoice: false,
        found: [],
        said: [{ type: "askSight" }, { type: "act", action: "selectModel" }, { type: "askSight" }],
      },
    );
  });

  it("survive a reload if they are small, and are reported if they don't", async () => {
    const { page, send, kept } = await open();
    await send(...scene("start"));
    await pick(page, PNG);
    await removeButton(page, PNG.name).waitFor();
    const small = await kept();
    const again = await open({ kept: small });
    await again.send(...scene("start"));
    await removeButton(again.page, PNG.name).waitFor();
    const lost = await open({ kept: { composer: "", written: [], picturesLost: true } });
    await lost.send(...scene("start"));
    await lost.page.getByText("The pictures that you had attached are gone.").first().waitFor();
  });

  it("go with the reason of a rejection, and are shown in the stream, where each opens in an editor", async () => {
    const run = waitingRun();
    const { page, send, said } = await open({ width: 300, height: 638 });
    await send(...scene("waiting"));
    await page.getByRole("textbox").fill("Like this");
    await pick(page, PNG);
    await removeButton(page, PNG.name).waitFor();
    await page.getByRole("button", { name: "Reject" }).click();
    const rejected = (await said()).filter(({ type }) => type === "say");
    const picture: AttachedPicture = {
      name: PNG.name,
      file: `${"0".repeat(64)}.png`,
      mediaType: "image/png",
      width: 5,
      height: 3,
      bytes: 77,
    };
    await send({
      type: "event",
      run: run.id,
      event: run.add({ type: "said", text: "", by: "user", attached: [picture] }),
    });
    const asked = await said();
    const named = await page.getByRole("link", { name: PNG.name }).textContent();
    const data = `data:image/png;base64,${PICTURES.png}`;
    await send({ type: "attached", run: run.id, file: picture.file, data });
    await page.getByRole("img", { name: PNG.name }).waitFor();
    await page.screenshot({ path: "test/shots/attached-stream.png" });
    const found = await seriousFindings(page);
    await page.getByRole("link", { name: PNG.name }).click();
    assert.deepEqual(
      { rejected, asked, named: named?.trim(), opened: await said(), found },
      {
        rejected: [{ type: "say", text: "Like this", pictures: [SENT] }],
        asked: [{ type: "showAttached", run: run.id, files: [picture.file] }],
        named: PNG.name,
        opened: [{ type: "openAttached", run: run.id, file: picture.file }],
        found: [],
      },
    );
  });
});
