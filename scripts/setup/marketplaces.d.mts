export function packageTroubles(vsix: Uint8Array): readonly string[];
