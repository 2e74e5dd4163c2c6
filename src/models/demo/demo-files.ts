/** The task that the demo's user types. */
export const DEMO_TASK = "One of this small shop's checks fails. Find out why, fix it, and show that all checks pass.";

/** The last words of the checks' output if all passed. */
export const ALL_PASSED = "All checks passed.";

/** The line with the bug, and its fixed version. */
export const BUG = "  return quantity > 10 ? Math.round(full * 0.9) : full;";
export const FIX = "  return quantity >= 10 ? Math.round(full * 0.9) : full;";

/** The demo's scratch project: a real bug, and real checks that find it and need only Node. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  "README.md": `# A small shop

Prices are in cents. Ten or more of one item are 10 percent off.

Run the checks with \`node check.mjs\`.
`,
  "cart.mjs": `/** The price of one line of the cart, in cents. */
export function linePrice({ unitPrice, quantity }) {
  const full = unitPrice * quantity;
${BUG}
}

/** The price of the whole cart, in cents. */
export function cartPrice(lines) {
  return lines.reduce((sum, line) => sum + linePrice(line), 0);
}
`,
  "check.mjs": `import assert from "node:assert/strict";
import { cartPrice, linePrice } from "./cart.mjs";

const checks = [
  ["an empty cart costs nothing", cartPrice([]), 0],
  ["nine items cost their full price", linePrice({ unitPrice: 250, quantity: 9 }), 2250],
  ["ten items are 10 percent off", linePrice({ unitPrice: 250, quantity: 10 }), 2250],
  ["twenty items are 10 percent off", linePrice({ unitPrice: 250, quantity: 20 }), 4500],
];

let failed = 0;
for (const [name, actual, expected] of checks) {
  try {
    assert.equal(actual, expected);
    console.log(\`ok      \${name}\`);
  } catch {
    failed++;
    console.log(\`FAILED  \${name}: expected \${expected}, got \${actual}\`);
  }
}
console.log(failed === 0 ? "${ALL_PASSED}" : \`\${failed} of \${checks.length} checks failed.\`);
process.exitCode = failed === 0 ? 0 : 1;
`,
};
