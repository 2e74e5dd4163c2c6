/** The bytes of a vector, in this machine's order, which is that of all machines that VS Code runs on. */
export function getVectorBytes({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A vector as text, for servers that only store it. */
export function packVector(vector: Float32Array): string {
  return getVectorBytes(vector).toString("base64");
}

/** Reads the numbers of a vector from a row, which is untrusted. */
export function unpackVector(text: string): readonly number[] {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(4 * at));
}
