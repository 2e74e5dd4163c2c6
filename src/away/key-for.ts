/** The key that is stored for an address's origin; undefined when there is none. */
export type KeyFor = (address: string) => Promise<string | undefined>;
