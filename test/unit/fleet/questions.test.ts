import assert from "node:assert/strict";
import { createFleetKey, type FleetKey } from "../../../src/fleet/key.ts";
import { createQuestionReader, sealQuestion } from "../../../src/fleet/question.ts";
import type { SealedText } from "../../../src/schema/fleet/decisions.ts";
import type { AskedQuestion } from "../../../src/schema/fleet/served.ts";
import type { Card } from "../../../src/schema/panel-values.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

const RUN = "20260304_050607_tidy_0a1b";
const CARD: Card = {
  ...{ step: 3, hash: "c".repeat(64), command: "execute_shell", text: "npm test", preview: "details" },
  ...{ rule: "shell", reason: "", sources: [], sensitive: false, args: { command_line: "npm test" } },
};

function ask(more: Partial<AskedQuestion["binding"]> = {}, card: Card = CARD): AskedQuestion {
  const binding = { run: RUN, attempt: 2, id: "q1", hash: "1".repeat(64), expiresMs: 9, ...more };
  return { binding, text: "npm test", card };
}

/** Changes the sealed text of a question, and keeps its seal. */
function edit(sealed: SealedText, from: string, to: string): SealedText {
  assert.ok(sealed.text.includes(from), from);
  return { ...sealed, text: sealed.text.replace(from, to) };
}

const ATTACKS: Readonly<Record<string, (key: FleetKey) => SealedText | Promise<SealedText>>> = {
  "of another run": (key) => sealQuestion(key, ask({ run: "20260304_050607_other_9f9f" })),
  "of another run under this one's name": (key) =>
    edit(sealQuestion(key, ask({ run: "20260304_050607_other_9f9f" })), "20260304_050607_other_9f9f", RUN),
  "of an attempt that it says it is of another": (key) => edit(sealQuestion(key, ask()), '"attempt":2', '"attempt":3'),
  "with another text": (key) => edit(sealQuestion(key, ask()), '"text":"npm test"', '"text":"npm run lint"'),
  "with another command in its card": (key) =>
    edit(sealQuestion(key, ask()), '"command_line":"npm test"', '"command_line":"ls"'),
  "with another preview": (key) => edit(sealQuestion(key, ask()), '"preview":"details"', '"preview":"other"'),
  "with the hash of something else": (key) => edit(sealQuestion(key, ask()), "1111", "2222"),
  "with another expiry": (key) => edit(sealQuestion(key, ask()), '"expiresMs":9', '"expiresMs":9999'),
  "without its card": (key) => edit(sealQuestion(key, ask()), '"card"', '"none"'),
  "with the seal of another question": (key) => ({
    ...sealQuestion(key, ask()),
    seal: sealQuestion(key, ask({ id: "q2" })).seal,
  }),
  "of another fleet": async () => sealQuestion(await createFleetKey(await tempFolder()), ask()),
  "that is no question": (key) => ({ text: "{}", seal: key.createSeal(`question ${RUN} 2`)("{}") }),
  "sealed as a decision": (key) => {
    const { text } = sealQuestion(key, ask());
    return { text, seal: key.createSeal(`decision ${RUN} 2`)(text) };
  },
};

describe("a question of a run in another place", () => {
  it("is shown as its machine has sealed it, and not once a later attempt has asked", async () => {
    const key = await createFleetKey(await tempFolder());
    const read = createQuestionReader(key, RUN);
    const shown = read(sealQuestion(key, ask({}, { ...CARD, text: "npm\u202Etest" })));
    const later = read(sealQuestion(key, ask({ attempt: 3 })));
    const replayed = read(sealQuestion(key, ask()));
    assert.deepEqual(
      { text: shown?.card?.text, binding: shown?.binding, later: later?.binding.attempt, replayed },
      { text: "npm⟨U+202E⟩test", binding: ask().binding, later: 3, replayed: undefined },
    );
  });

  for (const [name, attack] of Object.entries(ATTACKS))
    it(`isn't shown if it's one ${name}`, async () => {
      const key = await createFleetKey(await tempFolder());
      const sealed = await attack(key);
      assert.ok(createQuestionReader(key, RUN)(sealQuestion(key, ask())));
      assert.throws(() => createQuestionReader(key, RUN)(sealed), /wasn't asked by a machine with your fleet key/);
    });
});
