import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

interface Keybinding {
  readonly command: string;
  readonly key: string;
  readonly win?: string;
  readonly linux?: string;
  readonly when?: string;
}

interface MenuRow {
  readonly command: string;
  readonly when?: string;
  readonly group?: string;
}

interface Contributed {
  readonly keybindings: readonly Keybinding[];
  readonly menus: Readonly<Record<string, readonly MenuRow[]>>;
}

const { keybindings, menus }: Contributed = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
).contributes;

/** On some layouts, Ctrl+Alt is AltGr, which types another letter with these. */
const MAY_TYPE = /^(?=.*\bctrl\+)(?=.*\balt\+)(?:(?:ctrl|alt|shift)\+)+[a-z0-9]$/;

/** In a terminal, the second key edits the line. */
const withoutTerminal = (when = ""): string => when.replace(/ && !terminalFocus(?= && \()|\bterminalFocus \|\| /g, "");

describe("a keyboard shortcut", () => {
  for (const system of ["win", "linux"] as const)
    it(`with a letter that may type another one has a second one that types nothing: ${system}`, () => {
      const getKey = (binding: Keybinding): string => (binding[system] ?? binding.key).toLowerCase();
      const lacking = keybindings.filter(
        (one) =>
          MAY_TYPE.test(getKey(one)) &&
          !keybindings.some(
            (other) =>
              other.command === one.command &&
              withoutTerminal(other.when).replace(/^!isMac(?: && )?/, "") === withoutTerminal(one.when) &&
              getKey(other)
                .split(" ")
                .every((stroke) => stroke.startsWith("ctrl+") && !MAY_TYPE.test(stroke)),
          ),
      );
      assert.deepEqual(lacking, []);
    });

  it("is known to type letters by its modifiers and its last key", () => {
    const keys = ["ctrl+alt+n", "alt+ctrl+7", "ctrl+shift+alt+y", "ctrl+alt+enter", "ctrl+s", "alt+y", "ctrl+k ctrl+n"];
    assert.deepEqual(
      keys.filter((key) => MAY_TYPE.test(key)),
      ["ctrl+alt+n", "alt+ctrl+7", "ctrl+shift+alt+y"],
    );
  });
});

describe("the title of the panel's view", () => {
  it("has no buttons of a run, which the run's own header has", () => {
    const buttons = (menus["view/title"] ?? []).filter(
      ({ when = "", group = "" }) => when.includes("autogpt.panel") && group.startsWith("navigation"),
    );
    assert.deepEqual(
      buttons.map(({ command }) => command),
      ["autogpt.openPanelInEditor"],
    );
  });
});
