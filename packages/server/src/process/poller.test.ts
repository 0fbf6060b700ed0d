import { Unavailable } from '@certloop/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger } from '../observability/logger.js';
import { startPoller } from './poller.js';

const lines: string[] = [];
const logger = createLogger({
  service: 'test',
  level: 'info',
  destination: { write: (line) => lines.push(line) },
});

beforeEach(() => {
  lines.length = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A tick that ends on demand. */
function controlledTick() {
  const pending: (() => void)[] = [];
  const tick = vi.fn(() => new Promise<void>((resolve) => pending.push(resolve)));
  return {
    tick,
    finish: async () => {
      pending.shift()?.();
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

describe('startPoller', () => {
  test('ticks after each period, and never while a tick runs', async () => {
    const { tick, finish } = controlledTick();
    const poller = startPoller({ name: 'p', everyMs: 1000, tick, logger });
    await vi.advanceTimersByTimeAsync(999);
    expect(tick).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(5000);
    expect(tick).toHaveBeenCalledTimes(1);
    await finish();
    await vi.advanceTimersByTimeAsync(1000);
    expect(tick).toHaveBeenCalledTimes(2);
    await finish();
    await poller.stop();
  });

  test('triggers during a tick cause one more tick', async () => {
    const { tick, finish } = controlledTick();
    const poller = startPoller({ name: 'p', everyMs: 1000, tick, logger });
    poller.trigger();
    poller.trigger();
    poller.trigger();
    await finish();
    expect(tick).toHaveBeenCalledTimes(2);
    await finish();
    expect(tick).toHaveBeenCalledTimes(2);
    await poller.stop();
  });

  test('a tick that throws is logged, and the next one comes', async () => {
    const tick = vi.fn(() => Promise.reject(new Error('database away')));
    const poller = startPoller({ name: 'p', everyMs: 1000, tick, logger });
    await vi.advanceTimersByTimeAsync(2000);
    expect(tick).toHaveBeenCalledTimes(2);
    expect(lines[0]).toContain('"event":"poller.failed"');
    await poller.stop();
  });

  test('logs a tick without its database as a warning without a stack', async () => {
    const tick = vi.fn(() => Promise.reject(new Unavailable('the connection was lost')));
    const poller = startPoller({ name: 'p', everyMs: 1000, tick, logger });
    await vi.advanceTimersByTimeAsync(1000);
    const entry = JSON.parse(lines[0] ?? '');
    expect(entry).toMatchObject({ event: 'poller.failed', level: 'warn', reason: 'the connection was lost' });
    expect(lines[0]).not.toContain('stack');
    await poller.stop();
  });

  test('stop waits for the running tick, and no tick begins after it', async () => {
    const { tick, finish } = controlledTick();
    const poller = startPoller({ name: 'p', everyMs: 1000, tick, logger });
    poller.trigger();
    let stopped = false;
    const stopping = poller.stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(false);
    poller.trigger();
    await finish();
    await stopping;
    await vi.advanceTimersByTimeAsync(5000);
    expect(tick).toHaveBeenCalledTimes(1);
  });
});
