import type { Plugin } from "esbuild";

export declare const vectraPlugin: Plugin;
