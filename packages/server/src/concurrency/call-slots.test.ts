import { describe, expect, test } from 'vitest';
import { createCallSlots } from './call-slots.js';

/** A call that runs until it is let go. */
function heldCall() {
  let release = () => {};
  const ended = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { work: () => ended, release };
}

const patient = () => new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('call slots', () => {
  test('start at most the allowed number of calls, and the others in order', async () => {
    const slots = createCallSlots();
    const held = Array.from({ length: 4 }, heldCall);
    const begun: number[] = [];
    const runs = held.map(({ work }, index) =>
      slots.run(2, patient, () => {
        begun.push(index);
        return work();
      }),
    );
    await settled();
    expect(begun).toEqual([0, 1]);
    held[1]?.release();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    for (const { release } of held) release();
    await Promise.all(runs);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test('a call that fails frees its slot', async () => {
    const slots = createCallSlots();
    await expect(slots.run(1, patient, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await expect(slots.run(1, patient, () => Promise.resolve('next'))).resolves.toBe('next');
  });

  test('skips a cancelled call and starts the next ones', async () => {
    const slots = createCallSlots();
    const first = heldCall();
    const impatient = new AbortController();
    const running = slots.run(1, patient, first.work);
    let wasBegun = false;
    const leaving = slots.run(
      1,
      () => impatient.signal,
      async () => {
        wasBegun = true;
      },
    );
    const behind = slots.run(1, patient, () => Promise.resolve('behind'));
    impatient.abort(new Error('too late'));
    await expect(leaving).rejects.toThrow('too late');
    first.release();
    await running;
    await expect(behind).resolves.toBe('behind');
    expect(wasBegun).toBe(false);
  });
});
