import assert from "node:assert/strict";
import { formatSecretAddress } from "../../../../src/plugins/call-context.ts";
import { getKeyOrigin } from "../../../../src/runtime/services/key-ring.ts";
import { getStoredKeyLabel, listKeyServices } from "../../../../src/runtime/services/key-services.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";

describe("a stored key", () => {
  it("is named by its origin, by the account it is for, or by the plugin that has it", () => {
    const email = { user: "me@example.com", imap: "imap.example.com" };
    const settings = { ...DEFAULT_SETTINGS, plugins: { ...DEFAULT_SETTINGS.plugins, config: { email } } };
    const mail = listKeyServices(settings, false).find(({ label }) => label.startsWith("E-mail"));
    const origins = [
      "https://api.openai.com",
      getKeyOrigin(mail?.address ?? ""),
      formatSecretAddress("My Plugin", "token one"),
    ];

    const labels = origins.map((origin) => getStoredKeyLabel(origin, settings));

    assert.deepEqual(labels, [
      { label: "https://api.openai.com" },
      { label: "E-mail: me@example.com", description: "imap.example.com" },
      { label: "my plugin", description: "token one" },
    ]);
  });
});
