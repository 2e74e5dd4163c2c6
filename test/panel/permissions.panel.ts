import assert from "node:assert/strict";
import { panels } from "./support/browser.ts";
import { scene } from "./support/scenes.ts";

describe("the page of what is allowed", () => {
  const open = panels();

  it("has each permission in its group, and the kinds that nothing has below", async () => {
    const { page, send } = await open({ width: 300 });
    await send(...scene("permissions"));
    const groups = await page
      .locator(".permissions")
      .evaluateAll((sections) =>
        sections.map((section) => [
          section.querySelector("h2")?.textContent?.trim() ?? "",
          ...[...section.querySelectorAll("li .about p:first-child, li p.about")].map(
            (one) => one.textContent?.trim() ?? "",
          ),
        ]),
      );
    assert.deepEqual(groups, [
      ["Approved in advance", "The next 3 commands", "Requests to api.example.org"],
      ["Command lines that are always allowed", "npm test"],
      ["Always blocked", "write_to_file(src/generated/**)"],
      ["API keys", "https://api.openai.com"],
      ["Nothing else", "Your rules", "Allowed local hosts", "Downloads", "Shared terminals"],
    ]);
  });

  it("revokes one entry with one click, and opens the setting of those that settings hold", async () => {
    const { page, send, said } = await open();
    await send(...scene("permissions"));
    await page.getByTitle("Revoke: npm test").click();
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    await page.getByTitle("autogpt.approval.deny").click();
    assert.deepEqual(
      { said: await said(), focused, denied: await page.getByTitle(/Revoke: write_to_file/).count() },
      {
        said: [
          { type: "revoke", id: "line" },
          { type: "openSetting", setting: "autogpt.approval.deny" },
        ],
        focused: "What is allowed",
        denied: 0,
      },
    );
  });
});
