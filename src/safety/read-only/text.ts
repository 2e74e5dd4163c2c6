import { displayText } from "../../texts/display-text.ts";
import type { Word } from "../shell/reading.ts";
import { type Check, separately, takes } from "./check.ts";

const CONTENTS = { operands: "contents" } as const;
const ONE = { operands: "contents", most: 1 } as const;

const PRINTED = takes("*", { operands: "text" });

/** A word that looks like a flag is printed too. */
function prints(args: readonly Word[]): ReturnType<Check> {
  return PRINTED(args.map((word) => (word.text.startsWith("-") ? { ...word, text: "_" } : word)));
}

/** A pager prints what it gets from a pipe. For a file, the user's settings may have it run programs. */
function pager(args: readonly Word[], input?: "stream"): ReturnType<Check> {
  const isPiped = input === "stream" && args.every(({ text }) => /^-[eEFiINnqRrSsX]+$/.test(text));
  return isPiped ? [] : displayText("safety.line.mayStartPager");
}

/** Commands that transform text and write only to their output. */
export const TEXT_TOOLS: Readonly<Record<string, Check>> = {
  echo: prints,
  printf: (args) =>
    args[0]?.text.startsWith("-") ? displayText("safety.line.mayAssignVariable") : prints(args),
  true: takes("", { operands: "none" }),
  false: takes("", { operands: "none" }),
  ":": takes("*", { operands: "none" }),
  seq: takes("-f: -s: -w -NUM --format= --separator= --equal-width", { operands: "text" }),
  sort: takes(
    "-b -c -C -d -f -g -h -i -k: -m -M -n -r -R -s -t: -u -V -z --ignore-leading-blanks --check? --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --key= --merge --month-sort --numeric-sort --reverse --random-sort --sort= --stable --field-separator= --unique --version-sort --zero-terminated --parallel= --debug",
    CONTENTS,
  ),
  uniq: takes(
    "-c -d -D -f: -i -s: -u -w: -z --count --repeated --all-repeated? --group? --skip-fields= --ignore-case --skip-chars= --unique --check-chars= --zero-terminated",
    ONE,
  ),
  cut: takes(
    "-b: -c: -d: -f: -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated *",
    CONTENTS,
  ),
  tr: takes("-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1", {
    operands: "text",
  }),
  paste: takes("-d: -s -z --delimiters= --serial --zero-terminated *", CONTENTS),
  join: takes(
    "-a: -e: -i -j: -o: -t: -v: -1: -2: -z --ignore-case --check-order --nocheck-order --header",
    CONTENTS,
  ),
  comm: takes(
    "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated *",
    CONTENTS,
  ),
  fold: takes("-b -s -w: -NUM --bytes --spaces --width= *", CONTENTS),
  fmt: takes("-c -s -t -u -w: -g: -NUM --width= --goal= --split-only --uniform-spacing", CONTENTS),
  column: takes(
    "-t -s: -o: -c: -n -x -e -N: -R: -H: -O: --table --separator= --output-separator= --columns",
    CONTENTS,
  ),
  expand: takes("-i -t: --initial --tabs= *", CONTENTS),
  unexpand: takes("-a -t: --all --tabs= *", CONTENTS),
  rev: takes("", CONTENTS),
  diff: takes(
    "-q -s -c -C: -u -U: -e -n -y -W: -p -F: -L: -t -T -r -N -x: -X: -i -E -Z -b -w -B -I: -a -d -NUM --normal --brief --report-identical-files --context? --unified? --side-by-side --width= --left-column --suppress-common-lines --show-c-function --label= --expand-tabs --recursive --new-file --exclude= --ignore-case --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --color?",
    { operands: "contents", below: true, fileFlags: ["-X"] },
  ),
  cmp: takes(
    "-b -i: -l -n: -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent *",
    CONTENTS,
  ),
  od: takes(
    "-a -A: -b -c -d -f -i -j: -l -N: -o -s -S: -t: -v -w? -x --address-radix= --format= --read-bytes= --skip-bytes= --strings? --output-duplicates --width?",
    CONTENTS,
  ),
  hexdump: takes("-b -c -C -d -n: -o -s: -v -x --canonical --length= --skip=", CONTENTS),
  hd: takes("-n: -s: -v", CONTENTS),
  xxd: separately("cglos", takes("-a -b -c: -C -e -g: -i -l: -n: -o: -p -s: -u -d", ONE)),
  strings: takes("-a -f -n: -o -t: -e: -NUM --all --print-file-name --bytes= --radix= --encoding=", CONTENTS),
  readelf: takes(
    "-a -h -l -S -g -t -s -e -n -r -u -d -V -A -I -W --all --file-header --program-headers --segments --section-headers --sections --symbols --syms --headers --notes --relocs --dynamic --version-info --wide",
    CONTENTS,
  ),
  nm: takes(
    "-a -A -C -D -f: -g -n -o -p -P -r -S -t: -u --debug-syms --defined-only --demangle --dynamic --extern-only --numeric-sort --print-file-name --print-size --size-sort --undefined-only",
    CONTENTS,
  ),
  objdump: takes(
    "-a -C -d -D -f -h -j: -M: -p -r -R -s -t -T -w -x -z --all-headers --archive-headers --demangle --disassemble --disassemble-all --dynamic-reloc --dynamic-syms --file-headers --full-contents --headers --reloc --section-headers --section= --syms --wide",
    CONTENTS,
  ),
  less: pager,
  more: pager,
  base64: takes("-d -D -i -w: --decode --ignore-garbage --wrap=", ONE),
  shuf: takes("-e -i: -n: -r -z --echo --input-range= --head-count= --repeat --zero-terminated", ONE),
  iconv: takes("-f: -t: -l -c -s --from-code= --to-code= --list", CONTENTS),
  zcat: takes("-f", CONTENTS),
  tsort: takes("", CONTENTS),
};
