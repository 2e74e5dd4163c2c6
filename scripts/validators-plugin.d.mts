import type { Plugin } from "esbuild";

export declare const validatorsPlugin: Plugin;
