import { hash } from "node:crypto";
import { findOnPath, omitUndefined } from "../../../../../src/headless/library.ts";
import type { EvalTask, Suite, SuiteOptions } from "../../suite.ts";
import { findBrowserDriver } from "./browser.ts";
import { type Challenge, readChallenges } from "./challenge.ts";
import { type GradingTools, gradeChallenge, isBrowserTest } from "./grade-challenge.ts";
import { loadChallengeFiles } from "./package-files.ts";
import { SOLUTIONS } from "./solutions.ts";

const MAX_STEPS = 30;

/** Challenges that can't be measured without a network, with the reason. */
const LEFT_OUT: readonly { readonly path: RegExp; readonly why: string }[] = [
  { path: /^deprecated\/content_gen\/2_plan$/, why: "a model of OpenAI grades it" },
  { path: /^library\/ethereum\/check_price$/, why: "it needs the internet" },
  { path: /^(deprecated\/retrieval|verticals\/(scraping|synthesize))\//, why: "it needs the internet" },
  { path: /^deprecated\/(adapatability\/a[23]_|interface\/search$)/, why: "it needs the internet" },
];

/** The challenges of agbenchmark that need no network, graded as the package does. */
export const CLASSIC: Suite = {
  name: "classic",
  description: "The offline challenges of the Python package agbenchmark 0.0.10, graded as it does.",
  loadTasks: async ({ packages, seed, count }: SuiteOptions) => {
    const challenges = readChallenges(await loadChallengeFiles(packages)).filter(isOffline);
    const computeSortKey = ({ path }: Challenge): string => hash("sha256", `${seed} ${path}`);
    const shuffled = challenges.toSorted((one, other) => (computeSortKey(one) < computeSortKey(other) ? -1 : 1));
    const chosen = count === undefined ? challenges : shuffled.slice(0, count);
    const python = findOnPath(["python3", "python"]);
    const browser = chosen.some(isBrowserTest) ? await findBrowserDriver() : { why: "" };
    return chosen.map((challenge) => createChallengeTask(challenge, python, browser));
  },
};

/** False for an excluded challenge. Throws for one that is neither excluded nor solved here. */
function isOffline({ path }: Challenge): boolean {
  const isLeftOut = LEFT_OUT.some((row) => row.path.test(path));
  if (isLeftOut === Object.hasOwn(SOLUTIONS, path))
    throw new Error(`The challenge ${path} is not one of agbenchmark 0.0.10.`);
  return !isLeftOut;
}

function createChallengeTask(
  challenge: Challenge,
  python: string | undefined,
  browser: GradingTools["browser"],
): EvalTask {
  const { path, task, given, ground } = challenge;
  const needsPython = ground.kind === "python" && !isBrowserTest(challenge);
  const lacksPython = needsPython && python === undefined ? "It is graded with Python, which is not here." : undefined;
  const skip = isBrowserTest(challenge) && "why" in browser ? browser.why : lacksPython;
  return {
    name: path.replaceAll("/", "-"),
    task,
    files: given,
    oracle: SOLUTIONS[path] ?? [],
    maxSteps: MAX_STEPS,
    ...omitUndefined({ skip }),
    grade: ({ folder, signal }) => gradeChallenge(challenge, folder, { python: python ?? "python", browser }, signal),
  };
}
