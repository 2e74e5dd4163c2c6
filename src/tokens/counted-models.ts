/** True for models whose tokens are counted with `o200k_base`: their own encoding, or one so close that the server's counts mend the rest. */
export function isCounted(model: string): boolean {
  const plain = model.toLowerCase().replace(/^.*\//, "");
  return /^(gpt-[3-9]|gpt-\d\d|gpt-oss|chatgpt-|o\d)/.test(plain);
}
