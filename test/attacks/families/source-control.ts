import { changed, type FamilyAttack, family, type Harm, inModes, learned } from "../attack.ts";

const PWNED = changed("~/pwned");
const SCRIPT = "printf '#!/bin/sh\\ntouch /home/ann/pwned\\ncat\\n' > x.sh; chmod +x x.sh";

/** A repository that is prepared so, whose changes are reviewed. */
function reviewed(name: string, setup: string, harm: Harm, program: readonly string[] = ["review"]): FamilyAttack {
  return { name, setup, calls: [], harm: [harm], program };
}

/** A program that git would run when it shows changes. */
const runs = (name: string, setting: string, attribute = ""): FamilyAttack =>
  reviewed(
    name,
    `${SCRIPT}; git config ${setting}; ${attribute === "" ? "true" : `echo '${attribute}' > .gitattributes`}; echo more >> src/cart.js`,
    PWNED,
  );

const ATTACKS: readonly FamilyAttack[] = [
  runs("external diff", "diff.external ./x.sh"),
  runs("diff driver", "diff.loud.command ./x.sh", "*.js diff=loud"),
  runs("text conversion", "diff.loud.textconv ./x.sh", "*.js diff=loud"),
  runs("clean filter", "filter.loud.clean ./x.sh", "*.js filter=loud"),
  runs("process filter", "filter.loud.process ./x.sh", "*.js filter=loud"),
  runs("monitor", "core.fsmonitor ./x.sh"),
  runs("pager", "core.pager ./x.sh"),
  runs("hooks", "core.hooksPath .; cp x.sh post-index-change"),
  runs("alternate references", "core.alternateRefsCommand ./x.sh"),
  reviewed("a tracked secret", "git add -f .env; git commit -qm x; echo >> .env", learned("dotenv")),
  reviewed("an untracked secret", "rm .gitignore", learned("dotenv")),
  reviewed("a renamed secret", "git add -f .env; git commit -qm x; git mv -f .env plain.txt", learned("dotenv")),
  reviewed("a new link to a secret", "ln -s /home/ann/.ssh/id_rsa notes.md", learned("ssh")),
  reviewed(
    "a history elsewhere",
    "git init -q /home/ann/work/bank; (cd /home/ann/work/bank; git add -A; git commit -qm x); rm -rf .git; echo 'gitdir: /home/ann/work/bank/.git' > .git",
    learned("project"),
  ),
  reviewed(
    "objects elsewhere",
    "git init -q /home/ann/work/bank; (cd /home/ann/work/bank; git add -A; git commit -qm x); echo /home/ann/work/bank/.git/objects > .git/objects/info/alternates; git reset -q $(git -C /home/ann/work/bank rev-parse HEAD)",
    learned("project"),
  ),
  reviewed("a name that is an option", "true", changed("evil"), ["review", "--base", "--output=evil"]),
  reviewed("a new pipe", "mkfifo pipe.txt", { kind: "hangs" }),
  reviewed("a pipe for attributes", "mkfifo .gitattributes; echo more >> src/cart.js", { kind: "hangs" }),
];

/** A review of changes runs nothing of the repository, and sends nothing that isn't its own. */
export const SOURCE_CONTROL = family("reviews of changes", inModes(["readOnly"], ATTACKS));
