import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const require = createRequire(import.meta.url);

/** How tiktoken finds its program, in files that aren't beside a bundle. */
const FOUND = /const path = require\("path"\);[\s\S]*throw new Error\("Missing tiktoken_bg\.wasm"\);/;

/**
 * esbuild plugin: bundles what counts tokens compressed by Brotli. Its tables are a list of tokens in Base64, and a package
 * of that is half as large again.
 */
export const packedTokensPlugin = {
  name: "packed-tokens",
  setup({ initialOptions, onLoad }) {
    const pack = (bytes) => compress(bytes, initialOptions.minify).toString("base64");
    onLoad({ filter: /[\\/]tiktoken[\\/]encoders[\\/]\w+\.c?js$/ }, ({ path: file }) => {
      const { bpe_ranks, ...others } = require(file.replace(/\.c?js$/, ".cjs"));
      const contents = [
        'const { brotliDecompressSync } = require("node:zlib");',
        `const packed = ${JSON.stringify(pack(packTokens(bpe_ranks)))};`,
        unpackTokens.toString(),
        `module.exports = { ...${JSON.stringify(others)},`,
        '  get bpe_ranks() { return unpackTokens(brotliDecompressSync(Buffer.from(packed, "base64"))); } };',
      ];
      return { contents: contents.join("\n") };
    });
    onLoad({ filter: /[\\/]tiktoken[\\/]lite[\\/]tiktoken\.cjs$/ }, ({ path: file }) => {
      const source = fs.readFileSync(file, "utf8");
      if (!FOUND.test(source)) return { errors: [{ text: `${file} finds its program in another way.` }] };
      const packed = JSON.stringify(pack(fs.readFileSync(path.join(path.dirname(file), "tiktoken_bg.wasm"))));
      const bytes = `require("node:zlib").brotliDecompressSync(Buffer.from(${packed}, "base64"))`;
      return { contents: source.replace(FOUND, () => `const bytes = ${bytes};`) };
    });
  },
};

/** Compresses as much as it can, which takes seconds, only if it's for users. */
function compress(bytes, isForUsers) {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: isForUsers ? 11 : 4 };
  return brotliCompressSync(bytes, { params });
}

/** The tokens of one line `! 0 <Base64>…`: their count in 4 bytes, a byte for the length of each, then each. */
function packTokens(ranks) {
  const [, , ...tokens] = ranks.trim().split(" ");
  const bytes = tokens.map((token) => Buffer.from(token, "base64"));
  const count = Buffer.alloc(4);
  count.writeUInt32LE(tokens.length);
  const packed = Buffer.concat([count, Buffer.from(bytes.map(({ length }) => length)), ...bytes]);
  if (unpackTokens(packed) !== ranks.trim()) throw new Error("The table of tokens has another form. Read it.");
  return packed;
}

/** The inverse of `packTokens`, as it's bundled: it uses nothing of this file. */
function unpackTokens(bytes) {
  const count = bytes.readUInt32LE();
  const tokens = [];
  for (let token = 0, start = 4 + count; token < count; token++) {
    const end = start + bytes[4 + token];
    tokens.push(bytes.toString("base64", start, end));
    start = end;
  }
  return `! 0 ${tokens.join(" ")}`;
}
