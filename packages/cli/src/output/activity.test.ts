import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createActivity } from './activity.js';

/** A terminal of 30 columns, or a pipe, with a clock that is moved manually. */
function watch(isTTY: boolean) {
  let written = '';
  const ticks = new Set<() => void>();
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  const activity = createActivity({
    err: Object.assign(sink, { isTTY, columns: 30 }),
    everySecond: (tick) => {
      ticks.add(tick);
      return () => void ticks.delete(tick);
    },
  });
  const pass = () => {
    for (const tick of ticks) tick();
    const shown = written;
    written = '';
    return shown;
  };
  return { activity, pass, written: () => written, ticks };
}

/** Work that lasts until it is ended. */
function lasting() {
  let end: (value: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    end = resolve;
  });
  return { work: () => work, end };
}

test('shows the outermost work with its seconds, and removes the line at its end', async () => {
  const { activity, pass, written, ticks } = watch(true);
  const [outer, inner] = [lasting(), lasting()];
  let count = 1;
  const done = activity.during(
    () => `${count}/2 www.example.test`,
    async () => {
      await activity.during(() => 'waiting for cert-manager', inner.work);
      count = 2;
      return outer.work();
    },
  );
  expect(written()).toBe('');
  expect(pass()).toBe('\r\u001b[K1/2 www.example.test, 1 s');
  inner.end('');
  await inner.work();
  await Promise.resolve();
  expect(pass()).toMatch(/2 s$/);
  outer.end('result');
  expect(await done).toBe('result');
  expect(written()).toBe('\r\u001b[K');
  expect(ticks.size).toBe(0);
});

test('writes nothing for work under a second, in a pipe, and once it is muted', async () => {
  for (const isTTY of [true, false]) {
    const { activity, pass, written } = watch(isTTY);
    await activity.during(
      () => 'quick',
      async () => undefined,
    );
    const long = lasting();
    const done = activity.during(() => 'long', long.work);
    activity.mute();
    expect(pass()).toBe('');
    long.end('');
    await done;
    expect(written()).toBe('');
  }
});

test('fits the terminal, and ends with the work that fails', async () => {
  const { activity, pass, written } = watch(true);
  const failing = activity.during(
    () => '日本'.repeat(40),
    async () => {
      expect(pass()).toBe(`\r\u001b[K${'日本'.repeat(7)}…`);
      throw new Error('away');
    },
  );
  await expect(failing).rejects.toThrow('away');
  expect(written()).toBe('\r\u001b[K');
});
