import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countedLostLines, LogOutput, type WriteBytes } from './log-output.js';

const since = new Date('2026-01-01T00:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ now: since });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An output whose writes the test ends. */
function openOutput() {
  const calls: { readonly text: string; readonly done: Parameters<WriteBytes>[1] }[] = [];
  const output = new LogOutput({
    service: 'shop',
    write: (bytes, done) => void calls.push({ text: String(bytes), done }),
  });
  const next = () => {
    const call = calls.shift();
    if (call === undefined) throw new Error('no write is open');
    return call;
  };
  return {
    output,
    openWrites: () => calls.length,
    /** Writes all, or so many bytes, of the next write; returns its text. */
    accept: (written?: number) => {
      const { text, done } = next();
      done(null, written ?? Buffer.byteLength(text));
      return text;
    },
    refuse: (code: string, written = 0) => {
      const { text, done } = next();
      done(Object.assign(new Error(code), { code }), written);
      return text;
    },
  };
}

function report(lines: number): string {
  const time = new Date().toISOString();
  const line = { level: 'warn', time, service: 'shop', lines, since, event: 'log.lines_lost' };
  return `${JSON.stringify(line)}\n`;
}

test.each(['ENOSPC', 'EIO', 'EPIPE', 'EBADF', 'ERR_STREAM_DESTROYED'])(
  'drops and counts lines that are refused by %s, and reports them before the next line',
  (code) => {
    const { output, accept, refuse, openWrites } = openOutput();
    const before = countedLostLines();
    output.write('one\n');
    output.write('two\n');
    output.write('three\n');
    expect(refuse(code)).toBe('one\n');
    expect(refuse(code)).toContain('two\nthree\n');
    expect(openWrites()).toBe(0);
    expect(countedLostLines() - before).toBe(3);
    vi.setSystemTime(since.getTime() + 60_000);
    output.write('four\n');
    expect(accept()).toBe(`${report(3)}four\n`);
    output.write('five\n');
    expect(accept()).toBe('five\n');
    expect(countedLostLines() - before).toBe(3);
  },
);

test('counts no line of a report that is refused as lost', () => {
  const { output, accept, refuse } = openOutput();
  output.write('one\n');
  refuse('ENOSPC');
  output.write('two\n');
  expect(refuse('ENOSPC', 10)).toBe(`${report(1)}two\n`);
  output.write('three\n');
  expect(accept()).toBe(`\n${report(2)}three\n`);
});

test('continues after a part of the bytes was written', () => {
  const { output, accept } = openOutput();
  output.write('one\n');
  expect(accept(2)).toBe('one\n');
  expect(accept()).toBe('e\n');
});

test('begins a new line after a line that was written halfway', () => {
  const { output, accept, refuse } = openOutput();
  output.write('one\n');
  refuse('ENOSPC', 2);
  output.write('two\n');
  expect(accept()).toBe(`\n${report(1)}two\n`);
});

test.each(['EAGAIN', 'EBUSY'])('waits after %s without a loop, and drops lines beyond 1 MiB', (code) => {
  const { output, accept, refuse, openWrites } = openOutput();
  const before = countedLostLines();
  const line = `${'x'.repeat(1023)}\n`;
  output.write('one\n');
  for (let n = 0; n < 1024 + 5; n += 1) output.write(line);
  expect(countedLostLines() - before).toBe(5);
  for (let n = 0; n < 3; n += 1) {
    expect(refuse(code)).toBe('one\n');
    expect(openWrites()).toBe(0);
    vi.advanceTimersByTime(99);
    expect(openWrites()).toBe(0);
    vi.advanceTimersByTime(1);
  }
  expect(accept()).toBe('one\n');
  expect(accept()).toHaveLength(report(5).length + 64 * line.length);
});

test('flushes when nothing waits any more', () => {
  const { output, accept, refuse } = openOutput();
  const flushed = vi.fn();
  output.flush(flushed);
  expect(flushed).toHaveBeenCalledTimes(1);
  output.write('one\n');
  output.write('two\n');
  output.flush(flushed);
  accept();
  expect(flushed).toHaveBeenCalledTimes(1);
  refuse('EIO');
  expect(flushed).toHaveBeenCalledTimes(2);
});

test('returns what waits at the end, and the report of what was lost', () => {
  const { output, refuse } = openOutput();
  output.write('one\n');
  refuse('ENOSPC');
  expect(String(output.takeRest())).toBe(report(1));
  output.write('two\n');
  output.write('three\n');
  expect(String(output.takeRest())).toBe('three\n');
  expect(String(output.takeRest())).toBe('');
});
