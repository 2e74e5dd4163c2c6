// Copies files without the native module that clones them on file systems that can.
import fs from "node:fs";

export const { copyFile, cp, constants } = fs.promises;
export const { copyFileSync } = fs;
export const isCloneSupported = async () => false;
