import { describe, expect, test } from 'vitest';
import { createHeldRequests, type HeldRequest, type HoldEnd } from './held-requests.store.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1) + seconds * 1000);
const never = () => new AbortController().signal;
const request = (more: Partial<HeldRequest> = {}): HeldRequest => ({
  fqdnId: 'a',
  version: '1',
  until: at(60),
  signal: never(),
  ...more,
});

/** Two held requests for different FQDNs, and how they ended; `-` while they are held. */
async function endsAfter(act: (held: ReturnType<typeof createHeldRequests>) => void) {
  const held = createHeldRequests();
  const ends: (HoldEnd | '-')[] = ['-', '-'];
  for (const [place, fqdnId] of ['a', 'b'].entries()) {
    void held.hold(request({ fqdnId, until: at(60 + place) })).then((end) => {
      ends[place] = end;
    });
  }
  act(held);
  await new Promise(setImmediate);
  return { ends, left: held.fqdnIds(), count: held.count() };
}

describe('held requests', () => {
  test.each([
    ['stay', () => undefined, ['-', '-']],
    ['end with another certificate of their FQDN', (held) => held.wake(['b', 'c']), ['-', 'changed']],
    [
      'end when the newest certificate has another version',
      (held) => held.compare(new Map([...['a', 'b'].map((id) => [id, '1'] as const), ['a', '2']])),
      ['changed', '-'],
    ],
    [
      'end when their FQDN has none any more',
      (held) =>
        held.compare(
          new Map([
            ['a', '1'],
            ['b', undefined],
          ]),
        ),
      ['-', 'changed'],
    ],
    [
      'stay when nothing was read about their FQDN',
      (held) => held.compare(new Map([['a', '1']])),
      ['-', '-'],
    ],
    ['end when their time is over', (held) => held.release(at(60)), ['over', '-']],
    ['end when the clock was set back', (held) => held.release(at(-60)), ['-', 'over']],
    ['end with the service', (held) => held.close(), ['over', 'over']],
  ] as [string, Parameters<typeof endsAfter>[0], (HoldEnd | '-')[]][])('%s', async (_, act, expected) => {
    const { ends, left, count } = await endsAfter(act);
    const open = ['a', 'b'].filter((_id, place) => expected[place] === '-');
    expect({ ends, left, count }).toEqual({ ends: expected, left: open, count: open.length });
  });

  test('are forgotten when their caller goes', async () => {
    const held = createHeldRequests();
    const caller = new AbortController();
    const holding = held.hold(request({ signal: caller.signal }));
    caller.abort(new Error('gone'));
    await expect(holding).rejects.toThrow('gone');
    expect(held.count()).toBe(0);
    await expect(held.hold(request({ signal: caller.signal }))).rejects.toThrow('gone');
  });

  test('are at most so many, and none after the end', async () => {
    const held = createHeldRequests({ maxHeld: 2, maxMs: 120_000 });
    const two = [held.hold(request()), held.hold(request())];
    expect(await held.hold(request())).toBe('full');
    held.close();
    expect(await Promise.all(two)).toEqual(['over', 'over']);
    expect(await held.hold(request())).toBe('over');
  });

  test('are at most 2,000 by default', async () => {
    const held = createHeldRequests();
    for (let count = 0; count < 2000; count += 1) void held.hold(request());
    expect(await held.hold(request())).toBe('full');
    expect(held.count()).toBe(2000);
  });
});
