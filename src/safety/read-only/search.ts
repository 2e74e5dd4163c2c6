import { type Check, takes } from "./check.ts";

const GREP_FLAGS =
  "-E -F -G -P -e: -f: -i -y -v -w -x -c -L -l -m: -o -q -s -b -H -h -n -T -Z -A: -B: -C: -NUM -a -I -U -z -r --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file= --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= --text --binary-files= --exclude= --exclude-from= --exclude-dir= --include= --recursive --line-buffered --null-data";

const GREP = takes(GREP_FLAGS, {
  operands: "contents",
  textFirst: 1,
  textFlags: ["-e", "--regexp", "-f", "--file"],
  fileFlags: ["-f", "--file", "--exclude-from"],
  below: ["-r", "--recursive"],
  onlyFlags: ["--include"],
  without: "folder",
});

const RG = takes(
  "-A: -B: -C: -c -e: -E: -F -f: -g: -H -h -i -I -j: -l -m: -M: -n -N -o -p -P -q -r: -s -S -t: -T: -U -v -w -x -0 --after-context= --before-context= --context= --count --count-matches --regexp= --fixed-strings --file= --glob= --iglob= --with-filename --no-filename --ignore-case --case-sensitive --smart-case --files-with-matches --files-without-match --max-count= --max-columns= --max-depth= --maxdepth= --max-filesize= --line-number --no-line-number --column --no-column --only-matching --pretty --pcre2 --quiet --replace= --type= --type-not= --type-list --multiline --multiline-dotall --invert-match --word-regexp --line-regexp --null --heading --no-heading --color= --colors= --context-separator= --files --json --no-messages --sort= --sortr= --stats --trim --vimgrep --no-config --passthru --one-file-system --no-unicode --crlf --debug",
  {
    operands: "contents",
    textFirst: 1,
    textFlags: ["-e", "--regexp", "-f", "--file", "--files", "--type-list"],
    fileFlags: ["-f", "--file"],
    below: true,
    skipsHidden: true,
    onlyFlags: ["-g", "--glob", "--iglob"],
    without: "input-or-folder",
  },
);

/** Commands that look for text in files, or for files by name. */
export const SEARCH: Readonly<Record<string, Check>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: RG,
  fd: takes(
    "-a -d: -e: -E: -F -g -i -l -p -s -t: -S: -0 -1 --absolute-path --max-depth= --min-depth= --exact-depth= --extension= --exclude= --fixed-strings --glob --ignore-case --case-sensitive --full-path --type= --size= --changed-within= --changed-before= --print0 --max-results= --color= --strip-cwd-prefix",
    { operands: "names", textFirst: 1, below: true, skipsHidden: true, without: "folder" },
  ),
  locate: () => "locate looks at the whole machine.",
};
