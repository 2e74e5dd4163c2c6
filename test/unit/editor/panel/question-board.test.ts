import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BoardAnswer,
  type BoardQuestion,
  createQuestionId,
  QuestionBoard,
} from "../../../../src/editor/panel/question-board.ts";

const RUN = "20260102_090000_fix-the-build_a1b2";
const QUESTION: BoardQuestion = {
  run: RUN,
  id: createQuestionId(RUN, 3, "hash"),
  kind: "proposal",
  approvable: true,
  text: "Fix: run this command? npm test",
  window: "file:///work/shop",
};

describe("the questions of all windows", () => {
  let folder: string;
  let asking: QuestionBoard;
  let other: QuestionBoard;
  let isAlive: boolean;

  function openBoard(key = "the user's"): QuestionBoard {
    const seal = async (run: string) => (text: string) =>
      createHmac("sha256", key + run)
        .update(text)
        .digest("hex");
    return new QuestionBoard(folder, { seal, isAlive: () => isAlive });
  }

  /** The answers that a board gets, once it has looked. */
  async function listAnswers(board: QuestionBoard): Promise<readonly BoardAnswer[]> {
    const answers: BoardAnswer[] = [];
    const listening = board.onAnswer((answer) => answers.push(answer));
    await board.look();
    listening.dispose();
    return answers;
  }

  beforeEach(async () => {
    isAlive = true;
    folder = join(await mkdtemp(join(tmpdir(), "board-")), "waiting");
    [asking, other] = [openBoard(), openBoard()];
  });

  afterEach(() => rm(join(folder, ".."), { recursive: true, force: true }));

  it("are known to each window until they are answered", async () => {
    await asking.put(QUESTION);
    await other.look();
    const before = other.others.map(({ text }) => text);
    await asking.remove(RUN);
    await other.look();

    assert.deepEqual(
      { before, after: other.others, own: asking.others, files: await readdir(folder) },
      { before: [QUESTION.text], after: [], own: [], files: [] },
    );
  });

  it("are shown by one window only", async () => {
    await asking.put(QUESTION);
    const windows = [asking, other, openBoard(), openBoard()];
    const claims = await Promise.all(windows.map((board) => board.claim(QUESTION)));

    assert.equal(claims.filter(Boolean).length, 1);
  });

  it("are answered from another window, once", async () => {
    await asking.put(QUESTION);
    await other.answer({ run: RUN, id: QUESTION.id, act: "approve" });
    const [first, second] = [await listAnswers(asking), await listAnswers(asking)];

    assert.deepEqual({ first, second }, { first: [{ run: RUN, id: QUESTION.id, act: "approve" }], second: [] });
  });

  it("get no answer that was meant for an earlier one, or that others wrote, copied or moved", async () => {
    const foreign = openBoard("another user's");
    const path = join(folder, `${RUN}.answer.json`);
    const good = { run: RUN, id: QUESTION.id, act: "approve" } as const;
    const taken: (readonly BoardAnswer[])[] = [];
    await asking.put({ ...QUESTION, id: createQuestionId(RUN, 4, "hash") });
    await other.answer(good);
    const replayed = await readFile(path, "utf8");
    taken.push(await listAnswers(asking));
    await asking.put(QUESTION);
    await foreign.answer(good);
    taken.push(await listAnswers(asking));
    for (const text of [replayed.replace("approve", "say"), JSON.stringify(good), "{", ""]) {
      await writeFile(path, text);
      taken.push(await listAnswers(asking));
    }
    await writeFile(path, await readFile(join(folder, `${RUN}.question.json`)));
    taken.push(await listAnswers(asking));

    assert.deepEqual(taken, [[], [], [], [], [], [], []]);
  });

  it("of a window that has crashed, and files that the user's programs didn't write, are left out", async () => {
    await asking.put(QUESTION);
    await writeFile(join(folder, "..evil.question.json"), "{}");
    await openBoard("another user's").put({ ...QUESTION, run: "20260102_090000_evil_0000" });
    await other.look();
    const before = other.others.map(({ run }) => run);
    isAlive = false;
    await other.look();

    assert.deepEqual({ before, after: other.others }, { before: [RUN], after: [] });
  });

  it("are taken back when their window closes", async () => {
    await asking.put(QUESTION);
    await asking.close();
    await other.look();

    assert.deepEqual(other.others, []);
  });
});
