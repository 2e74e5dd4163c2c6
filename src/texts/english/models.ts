/** Texts about models, providers, keys and servers. */
export const modelsTexts = {} as const;
