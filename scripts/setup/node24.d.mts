export function findNodePackage(platform: string, arch: string, isMusl: boolean): string;
