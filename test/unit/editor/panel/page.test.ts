import assert from "node:assert/strict";
import { renderPanelPage } from "../../../../src/editor/panel/page.ts";

describe("the panel's page", () => {
  it("lets one script and one sheet of the extension in, and nothing else", () => {
    const page = renderPanelPage({
      scriptUri: "https://r/p.js",
      styleUri: "https://r/p.css",
      cspSource: "https://r",
      nonce: "abc",
    });
    assert.match(
      page,
      /content="default-src 'none'; img-src https:\/\/r data:; style-src https:\/\/r; script-src 'nonce-abc'; base-uri 'none'; form-action 'none'"/,
    );
  });

  it("escapes what it is given", () => {
    const page = renderPanelPage({ scriptUri: '"><script>', styleUri: "s", cspSource: "c", nonce: "n" });
    assert.ok(page.includes('src="&quot;>&lt;script>"'));
  });

  it("has the texts of its language as data that can't end its element", () => {
    const language = {
      tag: "ar",
      texts: { "common.restoring": "</script><b>", "common.cancel": "Abbrechen" },
      app: "Theia",
    };
    const page = renderPanelPage({ scriptUri: "a", styleUri: "s", cspSource: "c", nonce: "n", language });
    const [, text = ""] = /id="language">(.*?)<\/script>/.exec(page) ?? [];
    assert.ok(page.includes('<html lang="ar" dir="rtl">'));
    assert.deepEqual(JSON.parse(text), language);
  });
});
