import assert from "node:assert/strict";
import {
  DEFAULT_SETTINGS,
  explainInvalidSetting,
  getRunLimits,
  isSettingName,
  isWorkspaceSetting,
  mergeSettings,
  parseSettingText,
  SETTING_NAMES,
  type SettingsLayer,
} from "../../../src/schema/read-settings.ts";
import { SETTINGS, type SettingName, type SettingRow, type Settings } from "../../../src/schema/settings.ts";

function layer(origin: SettingsLayer["origin"], values: Partial<Record<SettingName, unknown>>): SettingsLayer {
  return { origin, get: (name) => values[name] };
}

/** The settings that the contract leaves to a workspace. */
const OF_WORKSPACES: readonly SettingName[] = [
  "model.temperature",
  "model.replyFormat",
  "approval.deny",
  "commands.disabled",
  "memory.enabled",
  "memory.recallCount",
  "memory.maxTokens",
  "speech.enabled",
  "log.debugFiles",
  "log.level",
];

describe("the settings table", () => {
  it("leaves to a workspace only what can't widen what is allowed", () => {
    assert.deepEqual(SETTING_NAMES.filter(isWorkspaceSetting).toSorted(), OF_WORKSPACES.toSorted());
  });

  it("knows its own names, and none that every object has", () => {
    const known = ["run.maxSteps", "autogpt.run.maxSteps", "run.maxSteps.more", "toString"].filter(isSettingName);

    assert.deepEqual(known, ["run.maxSteps"]);
  });

  it("describes every setting and every value of an enumeration", () => {
    const rows: readonly (readonly [string, SettingRow])[] = Object.entries(SETTINGS);
    const wrong = rows.filter(([, { type, description, values }]) => {
      const known = "enum" in type && Array.isArray(type.enum) ? type.enum.length : 0;
      return !description.endsWith(".") || (values !== undefined && values.length !== known);
    });

    assert.deepEqual(wrong, []);
  });

  it("has a default that its own type allows", () => {
    const problems = SETTING_NAMES.map((name) => {
      const value = name.split(".").reduce((from, part) => Reflect.get(Object(from), part), DEFAULT_SETTINGS);
      return explainInvalidSetting(name, value);
    });

    assert.deepEqual(
      problems.filter((problem) => problem !== undefined),
      [],
    );
  });
});

describe("the settings of several layers", () => {
  it("are the defaults where nothing is set", () => {
    const { model, run, web } = mergeSettings([layer("user", {})]);

    assert.deepEqual(
      { provider: model.provider, temperature: model.temperature, steps: run.maxSteps, bytes: web.maxBytes },
      { provider: "auto", temperature: null, steps: 100, bytes: 5_000_000 },
    );
  });

  it("take the user's own only from the user, whatever a workspace says", () => {
    const user = layer("user", { "run.maxSteps": 7 });
    const workspace = layer("workspace", {
      "run.maxSteps": 900,
      "run.continuous": true,
      "model.baseUrl": "https://evil.example",
      "approval.rules": [{ command: "*", action: "allow" }],
      "memory.recallCount": 3,
    });

    const { run, model, approval, memory } = mergeSettings([user, workspace]);

    assert.deepEqual(
      {
        steps: run.maxSteps,
        continuous: run.continuous,
        baseUrl: model.baseUrl,
        rules: approval.rules,
        recallCount: memory.recallCount,
      },
      { steps: 7, continuous: false, baseUrl: "https://api.openai.com/v1", rules: [], recallCount: 3 },
    );
  });

  it("add up lists that narrow what is allowed, so that no layer can take away from another", () => {
    const { approval, commands } = mergeSettings([
      layer("user", { "approval.deny": ["delete_file"], "commands.disabled": ["web"] }),
      layer("workspace", { "approval.deny": ["move_file", "delete_file", 3], "commands.disabled": [] }),
    ]);

    assert.deepEqual(
      { deny: approval.deny, disabled: commands.disabled },
      { deny: ["delete_file", "move_file"], disabled: ["web"] },
    );
  });

  it("correct numbers out of range and lists that are too long, and ignore values of another type", () => {
    const { run, memory, shell, web, model } = mergeSettings([
      layer("user", {
        "run.continuousLimit": 0,
        "run.maxSteps": "many",
        "memory.recallCount": 999,
        "model.fallback": ["a", "b", "c", "d"],
        "shell.sandbox": "full",
        "web.allowHosts": ["localhost", 5],
        "web.searchUrl": " https://search.example ",
      }),
    ]);

    assert.deepEqual(
      {
        continuousLimit: run.continuousLimit,
        maxSteps: run.maxSteps,
        recallCount: memory.recallCount,
        fallback: model.fallback,
        sandbox: shell.sandbox,
        allowHosts: web.allowHosts,
        searchUrl: web.searchUrl,
      },
      {
        continuousLimit: 1,
        maxSteps: 100,
        recallCount: 50,
        fallback: ["a", "b", "c"],
        sandbox: "off",
        allowHosts: ["localhost"],
        searchUrl: "https://search.example",
      },
    );
  });

  it("leave out prices that are none, and keep the others", () => {
    const { model } = mergeSettings([
      layer("user", { "model.prices": { good: { input: 1, output: 2 }, bad: { input: "1" } } }),
    ]);

    assert.deepEqual(model.prices, { good: { input: 1, output: 2 } });
  });
});

describe("a setting from a command line", () => {
  it("is read as its type wants it", () => {
    const read = {
      text: parseSettingText("model.smart", "123"),
      number: parseSettingText("run.maxSteps", "20"),
      list: parseSettingText("web.allowHosts", "localhost, wiki.example.com"),
      json: parseSettingText("web.allowHosts", '["localhost"]'),
      enumeration: parseSettingText("shell.sandbox", "confined"),
    };

    assert.deepEqual(read, {
      text: "123",
      number: 20,
      list: ["localhost", "wiki.example.com"],
      json: ["localhost"],
      enumeration: "confined",
    });
  });

  it("is explained when it can't be used", () => {
    const problems = {
      steps: explainInvalidSetting("run.maxSteps", -1),
      sandbox: explainInvalidSetting("shell.sandbox", "full"),
      temperature: explainInvalidSetting("model.temperature", "hot"),
      fallback: explainInvalidSetting("model.fallback", ["a", "b", "c", "d"]),
      good: explainInvalidSetting("run.maxSteps", 3),
    };

    assert.deepEqual(problems, {
      steps: "run.maxSteps takes a whole number of 0 or more, not -1.",
      sandbox: 'shell.sandbox takes one of off, confined, trusted, not "full".',
      temperature: 'model.temperature takes a number from 0 to 2 or null, not "hot".',
      fallback: 'model.fallback takes a list of up to 3, in JSON or separated by commas, not ["a","b","c","d"].',
      good: undefined,
    });
  });
});

describe("the limit of replies", () => {
  it("grows with the limit of steps unless the user chose another one", () => {
    const replies = (maxSteps: number, maxReplies = DEFAULT_SETTINGS.run.maxReplies): number =>
      getRunLimits({ ...DEFAULT_SETTINGS.run, maxSteps, maxReplies }).replies;
    assert.deepEqual(
      {
        few: replies(20),
        usual: replies(100),
        many: replies(1_000),
        unlimited: replies(0),
        own: replies(100, 50),
      },
      { few: 300, usual: 300, many: 3_000, unlimited: 0, own: 50 },
    );
  });
});

// Compile-time: a row without one of its columns, and settings without one of their values, don't compile.
const WITHOUT_DESCRIPTION = {
  type: SETTINGS["log.level"].type,
  scope: "resource",
  group: "general",
  host: "both",
};
// @ts-expect-error a row needs a description
const ROW: SettingRow = WITHOUT_DESCRIPTION;
const { maxSteps: _, ...WITHOUT_STEPS } = DEFAULT_SETTINGS.run;
// @ts-expect-error every setting of a group is in its settings
const RUN: Settings["run"] = WITHOUT_STEPS;
void [ROW, RUN];
