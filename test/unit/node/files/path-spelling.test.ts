import assert from "node:assert/strict";
import { findSpellingProblem } from "../../../../src/node/files/path-resolution.ts";

/** Spellings, and whether they are refused: always, unless there is such a file, or not at all; on POSIX and on Windows. */
const SPELLINGS: readonly (readonly [path: string, posix: string, windows: string])[] = [
  ["src/app.ts", "fine", "fine"],
  ["src\\app.ts", "fine", "fine"],
  [".", "fine", "fine"],
  ["..", "fine", "fine"],
  ["../a", "fine", "fine"],
  ["a b/c-d_e.f", "fine", "fine"],
  ["größe/漢字.md", "fine", "fine"],
  ["~$draft.docx", "fine", "fine"],
  ["a~1.txt", "fine", "fine"],
  ["100%.txt", "fine", "fine"],
  ["console.ts", "fine", "fine"],
  ["auxiliary/com10.txt", "fine", "fine"],
  ["C:\\project\\a.ts", "unless there", "fine"],
  ["C:a.ts", "unless there", "never"],
  ["a\0", "never", "never"],
  ["a%00.txt", "never", "never"],
  ["a\\0.txt", "never", "fine"],
  ["a\\u0000", "never", "fine"],
  ["file:///etc/passwd", "never", "never"],
  ["http://example.com/", "never", "never"],
  ["\\\\server\\share", "never", "never"],
  ["\\\\?\\C:\\a", "never", "never"],
  ["//server/share", "never", "never"],
  ["~", "unless there", "never"],
  ["~/a", "unless there", "never"],
  ["~bob/a", "unless there", "never"],
  ["$HOME/a", "unless there", "never"],
  ["%APPDATA%\\a", "unless there", "never"],
  ["a/CON", "fine", "never"],
  ["nul.txt", "fine", "never"],
  ["COM1", "fine", "never"],
  ["lpt²", "fine", "never"],
  ["aux:", "fine", "never"],
  ["a.txt:hidden", "fine", "never"],
  ["a.txt::$DATA", "fine", "never"],
  ["C:\\a.txt:hidden", "unless there", "never"],
  ["a.", "fine", "never"],
  ["a /b", "fine", "never"],
  ["a/...", "fine", "never"],
  ["a*.ts", "fine", "never"],
  ["a?", "fine", "never"],
  ["<a>", "fine", "never"],
  ['a|"b"', "fine", "never"],
  ["a\nb", "unless there", "never"],
  ["x".repeat(5000), "never", "never"],
];

describe("the spelling of a path", () => {
  for (const [path, posix, windows] of SPELLINGS)
    it(`is judged for ${JSON.stringify(path.slice(0, 30))}`, () => {
      assert.deepEqual([judged(path, false), judged(path, true)], [posix, windows]);
    });
});

describe("the spelling of a path in a workspace on another machine", () => {
  const ROOTS = [
    "\\\\server\\share\\shop",
    "\\\\wsl$\\Ubuntu\\shop",
    "\\\\wsl.localhost\\Debian\\shop",
    "\\\\nas\\all\\",
  ];
  const judge = (path: string) =>
    findSpellingProblem(
      path,
      true,
      ROOTS.map((root) => ({ path: root })),
    )?.says;

  for (const path of [
    ...ROOTS,
    ...ROOTS.map((root) => `${root}\\src\\a.ts`),
    "//SERVER/share/Shop/src/a.ts",
    "\\\\server\\share\\shop/src/a.ts",
  ])
    it(`is fine at or below its folder: ${path}`, () => {
      assert.equal(judge(path), undefined);
    });

  const ELSEWHERE = "it names another machine or a device";
  for (const [path, says] of [
    ["\\\\server\\share\\shop2\\a.ts", ELSEWHERE],
    ["\\\\server\\share", ELSEWHERE],
    ["\\\\other\\share\\shop\\a.ts", ELSEWHERE],
    ["\\\\wsl$\\Debian\\shop\\CON", ELSEWHERE],
    ["\\\\wsl.localhost\\Ubuntu\\shop\\CON", ELSEWHERE],
    ["\\\\?\\UNC\\server\\share\\shop\\a.ts", ELSEWHERE],
    ["\\\\.\\pipe\\a", ELSEWHERE],
    ["\\\\server\\share\\shop\\a.ts:hidden", "a colon names a hidden stream of a file"],
    ["\\\\server\\share\\shop\\C:\\a.ts", "a colon names a hidden stream of a file"],
    ["\\\\server\\share\\shop\\CON", "Windows takes that name for a device"],
  ] as const)
    it(`is refused elsewhere, and with a trick below: ${path}`, () => {
      assert.equal(judge(path), says);
    });
});

function judged(path: string, windows: boolean): string {
  const bad = findSpellingProblem(path, windows);
  if (!bad) return "fine";
  return bad.mayExist ? "unless there" : "never";
}
