import fc from "fast-check";

/**
 * Loaded by mocha before the tests: property tests try the same examples each time, so that a change is judged by
 * what it changes. PROPERTY_SEED, any whole number, makes them look elsewhere.
 */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 7) });
