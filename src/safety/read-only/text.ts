import { displayText } from "../../texts/display-text.ts";
import type { Word } from "../shell/reading.ts";
import { type Check, createFlagCheck, createSingleFlagsCheck } from "./check.ts";

const CONTENTS = { operands: "contents" } as const;
const ONE = { operands: "contents", most: 1 } as const;

const PRINTED = createFlagCheck("*", { operands: "text" });

/** A word that looks like a flag is printed too. */
function checkPrint(args: readonly Word[]): ReturnType<Check> {
  return PRINTED(args.map((word) => (word.text.startsWith("-") ? { ...word, text: "_" } : word)));
}

/** A pager prints what it gets from a pipe. For a file, the user's settings may have it run programs. */
function checkPager(args: readonly Word[], input?: "stream"): ReturnType<Check> {
  const isPiped = input === "stream" && args.every(({ text }) => /^-[eEFiINnqRrSsX]+$/.test(text));
  return isPiped ? [] : displayText("safety.line.mayStartPager");
}

/** Commands that transform text and write only to their output. */
export const TEXT_TOOLS: Readonly<Record<string, Check>> = {
  echo: checkPrint,
  printf: (args) =>
    args[0]?.text.startsWith("-") ? displayText("safety.line.mayAssignVariable") : checkPrint(args),
  true: createFlagCheck("", { operands: "none" }),
  false: createFlagCheck("", { operands: "none" }),
  ":": createFlagCheck("*", { operands: "none" }),
  seq: createFlagCheck("-f: -s: -w -NUM --format= --separator= --equal-width", { operands: "text" }),
  sort: createFlagCheck(
    "-b -c -C -d -f -g -h -i -k: -m -M -n -r -R -s -t: -u -V -z --ignore-leading-blanks --check? --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --key= --merge --month-sort --numeric-sort --reverse --random-sort --sort= --stable --field-separator= --unique --version-sort --zero-terminated --parallel= --debug",
    CONTENTS,
  ),
  uniq: createFlagCheck(
    "-c -d -D -f: -i -s: -u -w: -z --count --repeated --all-repeated? --group? --skip-fields= --ignore-case --skip-chars= --unique --check-chars= --zero-terminated",
    ONE,
  ),
  cut: createFlagCheck(
    "-b: -c: -d: -f: -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated *",
    CONTENTS,
  ),
  tr: createFlagCheck("-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1", {
    operands: "text",
  }),
  paste: createFlagCheck("-d: -s -z --delimiters= --serial --zero-terminated *", CONTENTS),
  join: createFlagCheck(
    "-a: -e: -i -j: -o: -t: -v: -1: -2: -z --ignore-case --check-order --nocheck-order --header",
    CONTENTS,
  ),
  comm: createFlagCheck(
    "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated *",
    CONTENTS,
  ),
  fold: createFlagCheck("-b -s -w: -NUM --bytes --spaces --width= *", CONTENTS),
  fmt: createFlagCheck("-c -s -t -u -w: -g: -NUM --width= --goal= --split-only --uniform-spacing", CONTENTS),
  column: createFlagCheck(
    "-t -s: -o: -c: -n -x -e -N: -R: -H: -O: --table --separator= --output-separator= --columns",
    CONTENTS,
  ),
  expand: createFlagCheck("-i -t: --initial --tabs= *", CONTENTS),
  unexpand: createFlagCheck("-a -t: --all --tabs= *", CONTENTS),
  rev: createFlagCheck("", CONTENTS),
  diff: createFlagCheck(
    "-q -s -c -C: -u -U: -e -n -y -W: -p -F: -L: -t -T -r -N -x: -X: -i -E -Z -b -w -B -I: -a -d -NUM --normal --brief --report-identical-files --context? --unified? --side-by-side --width= --left-column --suppress-common-lines --show-c-function --label= --expand-tabs --recursive --new-file --exclude= --ignore-case --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --color?",
    { operands: "contents", below: true, fileFlags: ["-X"] },
  ),
  cmp: createFlagCheck(
    "-b -i: -l -n: -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent *",
    CONTENTS,
  ),
  od: createFlagCheck(
    "-a -A: -b -c -d -f -i -j: -l -N: -o -s -S: -t: -v -w? -x --address-radix= --format= --read-bytes= --skip-bytes= --strings? --output-duplicates --width?",
    CONTENTS,
  ),
  hexdump: createFlagCheck("-b -c -C -d -n: -o -s: -v -x --canonical --length= --skip=", CONTENTS),
  hd: createFlagCheck("-n: -s: -v", CONTENTS),
  xxd: createSingleFlagsCheck(
    "cglos",
    createFlagCheck("-a -b -c: -C -e -g: -i -l: -n: -o: -p -s: -u -d", ONE),
  ),
  strings: createFlagCheck(
    "-a -f -n: -o -t: -e: -NUM --all --print-file-name --bytes= --radix= --encoding=",
    CONTENTS,
  ),
  readelf: createFlagCheck(
    "-a -h -l -S -g -t -s -e -n -r -u -d -V -A -I -W --all --file-header --program-headers --segments --section-headers --sections --symbols --syms --headers --notes --relocs --dynamic --version-info --wide",
    CONTENTS,
  ),
  nm: createFlagCheck(
    "-a -A -C -D -f: -g -n -o -p -P -r -S -t: -u --debug-syms --defined-only --demangle --dynamic --extern-only --numeric-sort --print-file-name --print-size --size-sort --undefined-only",
    CONTENTS,
  ),
  objdump: createFlagCheck(
    "-a -C -d -D -f -h -j: -M: -p -r -R -s -t -T -w -x -z --all-headers --archive-headers --demangle --disassemble --disassemble-all --dynamic-reloc --dynamic-syms --file-headers --full-contents --headers --reloc --section-headers --section= --syms --wide",
    CONTENTS,
  ),
  less: checkPager,
  more: checkPager,
  base64: createFlagCheck("-d -D -i -w: --decode --ignore-garbage --wrap=", ONE),
  shuf: createFlagCheck(
    "-e -i: -n: -r -z --echo --input-range= --head-count= --repeat --zero-terminated",
    ONE,
  ),
  iconv: createFlagCheck("-f: -t: -l -c -s --from-code= --to-code= --list", CONTENTS),
  zcat: createFlagCheck("-f", CONTENTS),
  tsort: createFlagCheck("", CONTENTS),
};
