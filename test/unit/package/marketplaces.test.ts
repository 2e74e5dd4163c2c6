import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { packageTroubles } from "../../../scripts/setup/marketplaces.mjs";

const MANIFEST = {
  name: "a",
  version: "1.2.3",
  displayName: "%name%",
  description: "Helps.",
  icon: "icon.png",
  license: "MIT",
  ...{ repository: {}, bugs: {}, homepage: "https://example.com" },
};

describe("a package for the marketplaces", () => {
  let icon: Uint8Array;
  before(async () => {
    icon = await readFile(join(import.meta.dirname, "../../../media/icon.png"));
  });

  function troubles({
    manifest = {},
    texts = { name: "A" },
    readme = "[docs](https://example.com/docs)",
    more = {},
  }: {
    manifest?: object;
    texts?: object;
    readme?: string;
    more?: Record<string, Uint8Array>;
  } = {}) {
    const files = {
      "extension/package.json": strToU8(JSON.stringify({ ...MANIFEST, ...manifest })),
      "extension/package.nls.json": strToU8(JSON.stringify(texts)),
      "extension/readme.md": strToU8(readme),
      "extension/changelog.md": strToU8("# Changelog"),
      "extension/LICENSE.txt": strToU8("MIT"),
      "extension/icon.png": icon,
      ...more,
    };
    return packageTroubles(zipSync(files));
  }

  it("is published as it is if nothing is wrong", () => {
    assert.deepEqual(troubles(), []);
  });

  it("has a sentence for each thing that a marketplace would reject or show wrongly", () => {
    assert.deepEqual(
      {
        manifest: troubles({
          manifest: { version: "1.2.3-beta", license: "", bugs: undefined, keywords: Array(31).fill("a") },
        }),
        texts: troubles({ texts: {} }),
        icon: troubles({ more: { "extension/icon.png": strToU8("<svg>".padEnd(40)) } }).length,
        readme: troubles({ readme: "![a](docs/a.png) ![b](https://example.com/b.svg) [c](docs/c.md)" }),
      },
      {
        manifest: [
          "The version isn't three numbers.",
          "There are more than 30 keywords.",
          "There is no license.",
          "There is no bugs.",
        ],
        texts: ['package.nls.json has no text for "%name%".'],
        icon: 1,
        readme: [
          "readme.md has a link that leads nowhere there: docs/a.png",
          "readme.md has a link that leads nowhere there: docs/c.md",
          "readme.md has a drawing (SVG), which isn't allowed: https://example.com/b.svg",
        ],
      },
    );
  });
});
