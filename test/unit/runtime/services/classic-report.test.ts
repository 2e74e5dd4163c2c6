import assert from "node:assert/strict";
import {
  addImportedEntries,
  describeClassicImport,
  listClassicRows,
} from "../../../../src/runtime/services/classic-report.ts";
import { convertClassicSettings } from "../../../../src/runtime/services/classic-settings.ts";

describe("the list of classic settings to import", () => {
  const found = convertClassicSettings({
    OPENAI_API_KEY: "sk-secret",
    OPENAI_API_BASE_URL: "http://localhost:8000/v1",
    DISABLED_COMMAND_CATEGORIES: "autogpt.commands.git_operations",
    GITHUB_API_KEY: "gh-secret",
  });
  const rows = listClassicRows(found, { name: "Bob", role: "a helper", goals: [] });

  it("shows names, values and origins, and of keys only where they go", () => {
    assert.deepEqual(
      rows.map(({ label, description, detail }) => [label, description, detail]),
      [
        ["autogpt.model.baseUrl", "http://localhost:8000/v1", "Setting, from OPENAI_API_BASE_URL"],
        ["autogpt.commands.disabled", '["git"]', "Setting, from DISABLED_COMMAND_CATEGORIES"],
        [
          "Key for http://localhost:8000",
          "stored in VS Code's secret storage and only ever sent there",
          "Key, from OPENAI_API_KEY",
        ],
        ["Bob", "a helper", "Profile, from ai_settings.yaml"],
      ],
    );
  });

  it("ends in a sentence on what was imported, and on what wasn't", () => {
    assert.deepEqual(
      [
        describeClassicImport(
          rows.map(({ item }) => item),
          found,
          ["azure.yaml is broken."],
        ),
        describeClassicImport(
          rows.slice(2, 3).map(({ item }) => item),
          { left: [] },
          [],
        ),
      ],
      [
        "Imported 2 settings, 1 key, 1 profile. Not imported: GITHUB_API_KEY: Git uses its own credentials. azure.yaml is broken.",
        "Imported 1 key.",
      ],
    );
  });

  it("adds to the user's own lists, and replaces other values", () => {
    assert.deepEqual(
      [
        addImportedEntries(["git"], ["web", "git"]),
        addImportedEntries(["git"], undefined),
        addImportedEntries("a", "b"),
      ],
      [["web", "git"], ["git"], "a"],
    );
  });
});
