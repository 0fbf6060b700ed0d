import { AcmeProblem } from '@certloop/contracts';
import { createMovableClock } from '@certloop/server';
import { describe, expect, test } from '@jest/globals';
import { createRateLimits } from './rate-limits.service.js';

const start = new Date('2026-03-01T12:00:00Z');
const seconds = (count: number) => new Date(start.getTime() + count * 1000);
const limited = (retryAt?: Date) =>
  new AcmeProblem('rateLimited', 'slower', { members: retryAt === undefined ? {} : { retryAt } });

/** A CA that takes an order each `period` seconds, after `burst` at once; time passes in waits alone. */
function place({ burst = 1, period = 30 } = {}) {
  const clock = createMovableClock(start);
  const pauses: number[] = [];
  const limits = createRateLimits({
    clock,
    pause: async (ms) => {
      pauses.push(ms / 1000);
      clock.advance(ms);
    },
  });
  let tokens = burst;
  let next = start.getTime() + period * 1000;
  let asked = 0;
  const order = async (name: string) => {
    asked += 1;
    for (; clock.now().getTime() >= next; next += period * 1000) tokens = Math.min(tokens + 1, burst);
    if (tokens === 0) throw limited(new Date(next));
    tokens -= 1;
    return name;
  };
  const deadline = new Date(start.getTime() + 86_400_000);
  const obey = <T>(send: () => Promise<T>, patience = { deadline }) => limits.obey(send, patience);
  return { clock, pauses, order, obey, deadline, asked: () => asked };
}

describe('requests to a CA with rate limits', () => {
  test('are sent at once while it takes them', async () => {
    const { obey, order, pauses } = place({ burst: 3 });
    const names = ['a', 'b', 'c'];
    expect(await Promise.all(names.map((name) => obey(() => order(name))))).toEqual(names);
    expect(pauses).toEqual([]);
  });

  test('wait as long as it says, and ask in vain twice at most for each that it takes', async () => {
    const { obey, order, asked, clock } = place({ burst: 10 });
    const names = Array.from({ length: 200 }, (_, index) => `name-${index}`);
    expect(await Promise.all(names.map((name) => obey(() => order(name))))).toEqual(names);
    expect(clock.now()).toEqual(seconds(190 * 30));
    expect(asked()).toBeLessThanOrEqual(200 + 190 + 2 * 190);
  });

  test('that come while others wait go behind them', async () => {
    const { obey, order } = place();
    const done: string[] = [];
    const ask = (name: string) => obey(() => order(name)).then((taken) => done.push(taken));
    const first = ['a', 'b', 'c', 'd'].map(ask);
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([...first, ask('e')]);
    expect([...done].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(done[0]).toBe('a');
  });

  test('of one name that is limited hold up no others', async () => {
    const { obey, order, clock } = place({ burst: 5 });
    let tries = 0;
    const refused = obey(async () => {
      tries += 1;
      if (tries === 1) throw limited(seconds(300));
      return 'late';
    });
    expect(await Promise.all(['a', 'b'].map((name) => obey(() => order(name))))).toEqual(['a', 'b']);
    expect(await refused).toBe('late');
    expect(clock.now()).toEqual(seconds(300));
  });

  test('wait longer each time where it names no moment', async () => {
    const { obey, pauses } = place();
    let tries = 0;
    const late = await obey(async () => {
      tries += 1;
      if (tries < 5) throw limited();
      return 'late';
    });
    expect({ late, pauses }).toEqual({ late: 'late', pauses: [10, 20, 40, 80] });
  });

  test.each([
    ['a moment in more than ten minutes', limited(seconds(601)), undefined],
    ['a moment after the deadline', limited(seconds(30)), seconds(29)],
    ['another refusal', new AcmeProblem('rejectedIdentifier', 'not that one'), undefined],
    ['a fault', new Error('fault'), undefined],
  ])('end with %s', async (_, refusal, until) => {
    const { obey, pauses, deadline } = place();
    const send = async () => {
      throw refusal;
    };
    await expect(obey(send, { deadline: until ?? deadline })).rejects.toBe(refusal);
    expect(pauses).toEqual([]);
  });

  test('say what they wait for, and end by what is thrown then', async () => {
    const { obey, order, deadline } = place();
    const waits: unknown[] = [];
    const onWait = async (...wait: unknown[]) => void waits.push(wait);
    const patience = { deadline, onWait };
    await Promise.all(['a', 'b'].map((name) => obey(() => order(name), patience)));
    expect(waits).toEqual([[seconds(30), 'slower']]);
    const lost = new Error('lost');
    const leave = { deadline, onWait: async () => Promise.reject(lost) };
    await expect(obey(() => order('c'), leave)).rejects.toBe(lost);
    expect(await obey(() => order('d'))).toBe('d');
  });

  test('end when the service stops, and those that come later are tried', async () => {
    const stopped = new Error('stopped');
    const limits = createRateLimits({
      clock: createMovableClock(start),
      pause: () => Promise.reject(stopped),
    });
    const patience = { deadline: seconds(86_400) };
    const refuse = () => Promise.reject(limited(seconds(30)));
    const ends = await Promise.allSettled([1, 2, 3].map(() => limits.obey(refuse, patience)));
    expect(ends.map((end) => end.status === 'rejected' && end.reason)).toEqual([stopped, stopped, stopped]);
    expect(await limits.obey(async () => 'taken', patience)).toBe('taken');
  });
});
