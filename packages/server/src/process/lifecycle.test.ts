import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const server = fileURLToPath(new URL('../index.js', import.meta.url));

/** Runs a service that does `work` after its start, and returns what it logged and how it ended. */
async function run(work: string, beforeStart = '') {
  const script = `
    import { createLogger, createMetrics, runService } from ${JSON.stringify(server)};
    import { InvariantFailed } from '@certloop/contracts';
    void runService('probe', async (onClose) => {
      const logger = createLogger({ service: 'probe', level: 'info' });
      onClose(async () => logger.info('part.closed'));
      ${beforeStart}
      setTimeout(async () => {
        ${work}
      }, 10);
      return logger;
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.error += text;
  });
  const [code]: (number | null)[] = await once(child, 'close');
  const lines = said.out.split('\n').filter((line) => line !== '');
  return {
    code,
    error: said.error,
    entries: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

// lines are written asynchronously: at an exit, the last ones may change places
const eventsOf = ({ entries }: { entries: readonly Record<string, unknown>[] }) =>
  entries.map(({ event }) => String(event)).sort();
const soon = '(resolve) => setTimeout(resolve, 50)';

describe('an unhandled rejection', () => {
  test('is logged with its stack and counted, and the service goes on', async () => {
    const ended = await run(`
      void Promise.reject(new Error('dropped'));
      await new Promise(${soon});
      const { text } = await createMetrics({ logger: createLogger({ service: 'probe', level: 'info' }) }).scrape();
      console.log(JSON.stringify({ event: /^process_unhandled_rejections_total \\d+$/m.exec(text)[0] }));
      process.kill(process.pid, 'SIGTERM');`);
    expect(eventsOf(ended)).toEqual([
      'part.closed',
      'process.unhandled_rejection',
      'process_unhandled_rejections_total 1',
      'service.stopped',
      'service.stopping',
    ]);
    const { error } = ended.entries.find(({ event }) => event === 'process.unhandled_rejection') as {
      error: { message: string; stack: string };
    };
    expect(error.message).toBe('dropped');
    expect(error.stack).toMatch(/^Error: dropped\n +at /);
    expect(ended.code).toBe(0);
  });

  test('by a failed invariant of the database ends the service after its parts are closed', async () => {
    const ended = await run(`void Promise.reject(new InvariantFailed('missing await?'));`);
    expect(eventsOf(ended)).toEqual([
      'part.closed',
      'process.unhandled_rejection',
      'service.stopped',
      'service.stopping',
    ]);
    expect(ended.code).toBe(1);
    expect(ended.entries.find(({ event }) => event === 'service.stopped')).toMatchObject({
      reason: 'unexpected error',
      exitCode: 1,
    });
  });

  test('during the start ends the start with its stack on standard error', async () => {
    const ended = await run('', `void Promise.reject(new Error('dropped')); await new Promise(${soon});`);
    expect(ended.error).toMatch(/^probe: Error: dropped\n +at /);
    expect(ended.code).toBe(1);
  });
});

test('an uncaught exception ends the service after its parts are closed', async () => {
  const ended = await run(`setImmediate(() => { throw new Error('halfway'); });`);
  expect(eventsOf(ended)).toEqual([
    'part.closed',
    'process.uncaught_exception',
    'service.stopped',
    'service.stopping',
  ]);
  expect(ended.code).toBe(1);
});
