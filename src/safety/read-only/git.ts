import { displayText } from "../../texts/display-text.ts";
import { createLiteralWord, isReason } from "../shell/reading.ts";
import {
  type Check,
  createEitherCheck,
  createExactCheck,
  createFlagCheck,
  createSubcommandCheck,
  type Use,
} from "./check.ts";

/** Flags that choose and format commits and differences. */
const LOG =
  "-NUM -n: --no-commit-id -p -u -s -U: -S: -G: -M? -C? -L: -i -E -F -P -a -b -w -z -R -r -t -m --oneline --graph --all --branches? --tags? --remotes? --stat? --numstat --shortstat --summary --name-only --name-status --patch --no-patch --raw --decorate? --no-decorate --abbrev-commit --no-abbrev-commit --abbrev? --pretty? --format= --date= --author= --committer= --grep= --all-match --invert-grep --since= --after= --until= --before= --max-count= --skip= --reverse --merges --no-merges --first-parent --follow --full-history --topo-order --date-order --left-right --cherry-pick --cherry-mark --cherry --boundary --no-walk --relative-date --color? --no-color --color-words? --word-diff? --word-diff-regex= --unified= --minimal --patience --histogram --diff-algorithm= --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --find-renames? --find-copies? --no-renames --diff-filter= --pickaxe-all --pickaxe-regex --full-index --binary --check --exit-code --quiet --cached --staged --merge-base --dirstat? --compact-summary --no-prefix --no-ext-diff --no-textconv --function-context --inter-hunk-context= --text --ancestry-path --simplify-by-decoration --no-notes --use-mailmap --no-mailmap --source --parents --children --cc --line-prefix= --relative? --no-relative --root --remerge-diff --min-parents= --max-parents= --dense --sparse --walk-reflogs --indent-heuristic --ignore-submodules?";

/** Operands may be revisions or files, so each is checked as a file. */
const checkGitShow: Check = (args) => {
  if (args.some(({ text }) => /%G/.test(text))) return displayText("safety.line.checksSignatures");
  return allowPatterns(createFlagCheck(LOG, { operands: "contents", fileFlags: ["-L"] }))(args);
};

/** After `--`, git uses its own patterns. Those that can't match anything protected, in any commit, are allowed. */
function allowPatterns(check: Check): Check {
  return (args, input) => {
    const uses = check(args, input);
    const end = args.findIndex(({ text }) => text === "--");
    const patterns = args.filter((word, at) => end !== -1 && at > end && PATTERN.test(word.text));
    if (isReason(uses) || patterns.length === 0) return uses;
    return uses.map((use) => (patterns.includes(use.word) ? { ...use, isValue: true as const } : use));
  };
}

/** `*.ts` and `src/**`, but nothing that could mean a hidden file or several endings. */
const PATTERN = /^(?:[\w-][\w.-]*\/)*(?:\*{1,2}|\*{1,2}\/\*|[\w*-]*(?:\.\w+)+)$/;

const NAMES = { operands: "names" } as const;
const NONE = { operands: "none" } as const;
const TEXT = { operands: "text" } as const;

const BRANCH = createEitherCheck(
  createFlagCheck(
    "-a -r -v -vv -i --all --remotes --list --show-current --verbose --color? --no-color --column? --sort= --format= --abbrev? --no-abbrev",
    NONE,
  ),
  createFlagRequiredCheck(
    ["--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"],
    "-a -r -v -vv -i --all --remotes --list --verbose --color? --no-color --sort= --format= --contains? --no-contains? --merged? --no-merged? --points-at=",
  ),
);

const TAG = createEitherCheck(
  createFlagCheck("-l -n? --list --column? --sort= --format= --color? -i", NONE),
  createFlagRequiredCheck(
    ["--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "-n"],
    "-l -n? -i --list --sort= --format= --contains? --no-contains? --merged? --no-merged? --points-at= --color?",
  ),
);

/** Operands are patterns only with one of these flags. Without it, they would be names to create. */
function createFlagRequiredCheck(flags: readonly string[], spec: string): Check {
  const check = createFlagCheck(spec, TEXT);
  return (args) =>
    args.some(({ text }) => flags.includes(text.split("=")[0] ?? ""))
      ? check(args)
      : displayText("safety.line.argumentsMayCreate");
}

/** Settings that hold no secret and don't name a program. */
const SETTING =
  /^(?:user\.(?:name|email)|init\.defaultbranch|core\.(?:autocrlf|eol|filemode|ignorecase|bare|symlinks|quotepath)|branch\.[\w./-]+\.(?:remote|merge|rebase)|pull\.(?:rebase|ff)|push\.default|remote\.[\w-]+\.url|color\.\w+|merge\.conflictstyle|rebase\.\w+|fetch\.prune)$/i;

const checkGitConfig: Check = (args) => {
  const words = args
    .map(({ text }) => text)
    .filter((word) => !/^--(?:get|get-all|local|global|system|show-origin)$/.test(word));
  const [key, more] = words[0] === "get" ? words.slice(1) : words;
  return key !== undefined && more === undefined && SETTING.test(key) ? [] : displayText("safety.line.notOneSetting");
};

const checkGitReflog: Check = (args) =>
  args.some(({ text }) => /^(?:expire|delete|drop|exists|write)$/.test(text))
    ? displayText("safety.line.mayChangeReflog")
    : checkGitShow(args.filter(({ text }, index) => index > 0 || text !== "show"));

/** Allows git only with `--no-pager` and similar flags before its subcommand; `-c`, `-C` and others can change what it runs. */
export const checkGit: Check = (args, input) => {
  const uses = subcommand(args, input);
  return isReason(uses)
    ? uses
    : [
        ...uses,
        {
          word: createLiteralWord(""),
          reveals: false,
          repository: getRepositoryUse(args.map(({ text }) => text)),
        },
      ];
};

/** The part of the repository that git accesses, and the paths that limit it. */
function getRepositoryUse(words: readonly string[]): NonNullable<Use["repository"]> {
  const end = words.indexOf("--");
  const paths = end === -1 ? [] : words.slice(end + 1);
  const named = words.find((word) => !word.startsWith("-")) ?? "";
  const shows = /^(?:diff|show|grep|diff-tree|range-diff|cat-file)$/.test(named) || words.includes("show");
  const isShown = words.some((word) => PATCH.test(word)) || (shows && !words.some((word) => BRIEF.test(word)));
  if (isShown) return { at: "contents", paths };
  return { at: /^(?:status|diff|describe|ls-files|stash)$/.test(named) ? "state" : "settings", paths };
}

const PATCH =
  /^(?:-[a-zA-Z]*[pu]|--patch|-U.*|--unified.*|-[cmW]|--cc|--word-diff.*|--color-words.*|--function-context|--remerge-diff|--binary|--check|-L.*)$/;
const BRIEF =
  /^--(?:stat|shortstat|numstat|summary|name-only|name-status|dirstat|compact-summary|quiet|no-patch|files-with-matches|count)\b|^-[slqc]$/;

const subcommand: Check = createEitherCheck(
  createSubcommandCheck(
    {
      log: checkGitShow,
      show: checkGitShow,
      diff: checkGitShow,
      reflog: checkGitReflog,
      "diff-tree": checkGitShow,
      "range-diff": checkGitShow,
      shortlog: createFlagCheck(
        "-n -s -e -c --numbered --summary --email --all --no-merges --since= --until= --format= --group=",
        { operands: "contents" },
      ),
      status: createFlagCheck(
        "-s -b -u? -z --short --branch --porcelain? --long --untracked-files? --ignored? --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --show-stash",
        NAMES,
      ),
      branch: BRANCH,
      tag: TAG,
      remote: createExactCheck("", "-v", "--verbose", "get-url *"),
      blame: createFlagCheck(
        "-L: -l -t -s -e -f -n -w -M? -C? -p --porcelain --line-porcelain --date= --abbrev= --show-email --since= --reverse --first-parent",
        { operands: "contents" },
      ),
      annotate: createFlagCheck("-L: -w", { operands: "contents" }),
      "rev-parse": createFlagCheck(
        "--abbrev-ref? --short? --verify --quiet -q --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --symbolic --symbolic-full-name --all --branches --tags --remotes --show-superproject-working-tree",
        TEXT,
      ),
      "rev-list": createFlagCheck(`${LOG} --count --objects --left-only --right-only`, {
        operands: "contents",
      }),
      describe: createFlagCheck(
        "--all --tags --contains --abbrev= --candidates= --exact-match --long --match= --exclude= --always --dirty? --broken? --first-parent --debug",
        TEXT,
      ),
      "ls-files": createFlagCheck(
        "-c -d -m -o -i -s -u -z -t -v -f -x: --cached --deleted --modified --others --ignored --stage --unmerged --exclude= --exclude-standard --full-name --error-unmatch --abbrev? --eol --deduplicate",
        NAMES,
      ),
      "ls-tree": createFlagCheck(
        "-d -r -t -l -z --name-only --name-status --object-only --abbrev? --full-name --full-tree --format= --long",
        NAMES,
      ),
      "cat-file": createFlagCheck("-t -s -e -p", { operands: "contents" }),
      "merge-base": createFlagCheck("-a --all --is-ancestor --octopus --independent --fork-point", TEXT),
      "name-rev": createFlagCheck("--tags --name-only --all --refs= --always", TEXT),
      "show-ref": createFlagCheck("-s -d --head --heads --branches --tags --hash? --verify --quiet -q", TEXT),
      "for-each-ref": createFlagCheck(
        "--count= --sort= --format= --points-at= --merged? --no-merged? --contains? --no-contains? --color?",
        TEXT,
      ),
      "symbolic-ref": (args) =>
        args.filter(({ text }) => !text.startsWith("-")).length === 1
          ? createFlagCheck("-q --quiet --short", TEXT)(args)
          : displayText("safety.line.maySetReference"),
      "check-ignore": createFlagCheck("-v -n -q --verbose --non-matching --quiet --no-index", NAMES),
      "check-attr": createFlagCheck("-a --all", TEXT),
      "count-objects": createFlagCheck("-v -H --verbose --human-readable", NONE),
      cherry: createFlagCheck("-v --abbrev? --verbose", TEXT),
      grep: allowPatterns(
        createFlagCheck(
          "-n -i -I -w -v -h -H -l -L -c -z -o -q -E -G -P -F -e: -A: -B: -C: -W -p -NUM --line-number --column --ignore-case --word-regexp --invert-match --files-with-matches --name-only --files-without-match --count --only-matching --quiet --extended-regexp --basic-regexp --perl-regexp --fixed-strings --after-context= --before-context= --context= --show-function --function-context --heading --break --cached --max-depth= --all-match --and --or --not --color? --no-color --threads=",
          { operands: "contents", textFirst: 1, textFlags: ["-e"] },
        ),
      ),
      stash: createEitherCheck(
        createExactCheck("list"),
        createSubcommandCheck({ list: checkGitShow, show: checkGitShow }),
      ),
      worktree: createExactCheck("list", "list --porcelain"),
      bisect: createExactCheck("log"),
      notes: createExactCheck("list"),
      config: checkGitConfig,
      version: createExactCheck(""),
      var: createExactCheck("GIT_DEFAULT_BRANCH"),
    },
    ["--no-pager", "--literal-pathspecs", "--no-optional-locks", "-P"],
  ),
  createExactCheck("--version", "-v"),
);
