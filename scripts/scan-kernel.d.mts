export declare function assemble(): Promise<string>;
