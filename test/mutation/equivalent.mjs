/** Mutants that change nothing observable, with the reason. They are left out of the score. */
export const EQUIVALENT = [
  {
    file: "src/core/budget/reserved-budget.ts",
    change: "exit removed: if (whole <= prompt) return 0; → nothing",
    reason: "The division by zero gives minus infinity, which is as little as 0.",
  },
  {
    file: "src/isolation/review/merge-versions.ts",
    change: "order: [before, mine, theirs] → [mine, before, theirs]",
    reason: "It's only asked whether one of them is binary.",
  },
  {
    file: "src/isolation/review/merge-versions.ts",
    change: "order: [before, mine, theirs] → [before, theirs, mine]",
    reason: "It's only asked whether one of them is binary.",
  },
  {
    file: "src/isolation/review/three-way.ts",
    change: "operator: from.length === 0 || to.length === 0 → from.length === 0 && to.length === 0",
    reason: "Comparing lines with none gives the same figures, only later.",
  },
  {
    file: "src/runs/log/read-log.ts",
    change: "operator: from >= to → from > to",
    reason: "A log of today's schema goes through no migration, and its start is given its own schema.",
  },
  {
    file: "src/editor/review/card.ts",
    change: "operator: at < text.length → at <= text.length",
    reason: "A last empty piece only differs for texts of an exact multiple of a piece, and shows nothing.",
  },
];
