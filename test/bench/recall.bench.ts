// How often the right note is among the first five: the table of docs/memory.md. `npm run bench recall`
import { measureRecall } from "../support/recall-quality.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

const SETS = ["questions.tsv", "questions-close.tsv"];
const [at1, at5] = [await measureRecall(SETS, 1), await measureRecall(SETS, 5)];

for (const [place, set] of SETS.entries()) {
  const rows = [...(at5[place] ?? [])].map(([mode, share]) => [
    mode,
    share.toFixed(2),
    (at1[place]?.get(mode) ?? 0).toFixed(2),
  ]);
  table(set, ["found by", "recall@5", "recall@1"], rows);
}
const gain = (at5[0]?.get("encoder and words") ?? 0) - (at5[0]?.get("words") ?? 0);
check("words alone plus 0.15, less the best offline mode", 0.15 - gain, 0);
exitWithChecks();
