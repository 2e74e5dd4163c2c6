/** Billions of parameters for models whose names lack them or contain other numbers. The first matching row applies. */
const BY_NAME: readonly (readonly [number, RegExp])[] = [
  [109, /llama-?4-scout/],
  [400, /llama-?4-maverick/],
  [8, /command-r7b/],
  [42, /phi-?3\.5-moe/],
  [5.6, /phi-?4-multimodal/],
  [4.2, /phi-?3(\.5)?-vision/],
  [14, /phi-?3-medium/],
  [7, /phi-?3-small/],
  [3.8, /phi-?[34](\.5)?[-:]mini|phi-?3(\.5)?(:latest)?$/],
  [14, /phi-?4(?=$|[-:])/],
  [2.7, /phi-2/],
  [1.1, /tinyllama/],
];

/**
 * `7b`, `1.5B`, `0_5b`, `8x7b`, `e2b` (those in use), `360m`. After another letter, it's a version (`v2.5b`) or active parameters (`a3b`).
 */
const SIZE = /(?<![a-z\d.])(?:(?:(\d+)x|e)?(0[._]\d+|[1-9]\d*(?:\.\d+)?)b|([1-9]\d\d(?:\.\d+)?)m)(?![a-z\d])/;

/** Billions of parameters from a model's or file's name, or from a server's text such as `494.03M`; undefined if it contains none. */
export function parseBillions(name: string): number | undefined {
  const plain = name.toLowerCase().replace(/^.*[\\/]/, "");
  const known = BY_NAME.find(([, names]) => names.test(plain))?.[0];
  const [size, times = "1", billions = "", millions] = SIZE.exec(plain) ?? [];
  if (known !== undefined || size === undefined) return known;
  return millions === undefined ? Number(times) * Number(billions.replace("_", ".")) : Number(`${millions}e-3`);
}
