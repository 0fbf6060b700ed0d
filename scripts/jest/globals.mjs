// Stands in for @jest/globals, whose exports belong to one test file, while modules that import it serve many.
export let afterAll;
export let afterEach;
export let beforeAll;
export let beforeEach;
export let describe;
export let expect;
export let it;
export let jest;
export let test;

/** From now on the exports are those of another file. */
export function become(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
