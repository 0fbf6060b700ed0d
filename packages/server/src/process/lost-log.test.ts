import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { until } from '@certloop/contracts/testing';
import { expect, test } from 'vitest';

const server = fileURLToPath(new URL('../index.js', import.meta.url));

const script = `
  import { createLogger, createMetrics, guardOutput, runService } from ${JSON.stringify(server)};
  void runService('probe', async () => {
    const logger = createLogger({ service: 'probe', level: 'info' });
    const metrics = createMetrics({ logger });
    process.on('message', async (lines) => {
      for (let n = 0; n < lines; n += 1) logger.info({ filler: 'x'.repeat(1000) }, 'line');
      const { text } = await metrics.scrape();
      process.send({ lost: Number(/^log_lines_lost_total (\\d+)$/m.exec(text)[1]) });
    });
    return logger;
  });`;

/** A service whose standard output is a file or a pipe. */
async function startService(output: number | 'pipe') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', output, 'pipe', 'ipc'],
  });
  const errors = text(child.stderr as NodeJS.ReadableStream);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  await once(child, 'message');
  return {
    output: child.stdout,
    /** Has it log so many lines; returns how many it has lost in all. */
    log: async (lines: number) => {
      const answer = once(child, 'message') as Promise<[{ readonly lost: number }]>;
      child.send(lines);
      return (await answer)[0].lost;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      return { code, errors: await errors };
    },
  };
}

const stopped = { code: 0, errors: '' };

(existsSync('/dev/full') ? test : test.skip)('a full disk below the log ends no service', async () => {
  const service = await startService(openSync('/dev/full', 'w'));
  await until(async () => (await service.log(10)) >= 10);
  expect(await service.stop()).toEqual(stopped);
});

test('a reader of the log that is gone ends no service', async () => {
  const service = await startService('pipe');
  service.output?.destroy();
  await until(async () => (await service.log(10)) >= 10);
  expect(await service.stop()).toEqual(stopped);
});

test('a reader of the log that does not read blocks no service, and delays no exit', async () => {
  const service = await startService('pipe');
  service.output?.pause();
  // beyond what the pipe and the service store
  expect(await service.log(5_000)).toBeGreaterThan(1_000);
  expect(await service.log(10)).toBeGreaterThan(1_000);
  expect(await service.stop()).toEqual(stopped);
});

test('a slow reader of the log gets all lines before the service exits', async () => {
  const service = await startService('pipe');
  service.output?.pause();
  expect(await service.log(500)).toBe(0);
  const stopping = service.stop();
  const lines = (await text(service.output as NodeJS.ReadableStream)).trim().split('\n');
  expect(await stopping).toEqual(stopped);
  expect(lines).toHaveLength(502);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ event: 'service.stopped', exitCode: 0 });
});
