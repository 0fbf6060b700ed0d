import { expect, test } from 'vitest';
import { inOwnTurn } from './own-turn.js';

/** Counts the turns of the event loop until the work is done. */
async function withTurns<T>(work: (turn: () => number) => Promise<T>): Promise<T> {
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  try {
    return await work(() => turns);
  } finally {
    clearImmediate(next);
  }
}

test('hands on large bodies in turns of their own, in their order', async () => {
  const seen: number[] = [];
  const turns = await withTurns((turn) =>
    Promise.all(
      [0, 1, 2].map(async (body) => {
        expect(await inOwnTurn(Buffer.alloc(16_385, body))).toEqual(Buffer.alloc(16_385, body));
        seen.push(body);
        return turn();
      }),
    ),
  );
  expect(seen).toEqual([0, 1, 2]);
  expect(new Set(turns).size).toBe(3);
});

test('hands on other bodies at once', () => {
  const body = new Uint8Array(16_384);
  expect(inOwnTurn(body)).toBe(body);
});
