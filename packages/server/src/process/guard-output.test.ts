import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const server = fileURLToPath(new URL('../index.js', import.meta.url));
const script = `
  import { guardOutput } from ${JSON.stringify(server)};
  guardOutput('probe');
  for (let n = 0; n < 1000; n += 1) process.stdout.write('x'.repeat(1000) + '\\n');`;

/** Runs a command line that writes much; returns its exit code and what it wrote to standard error. */
async function run(output: number | 'pipe') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', output, 'pipe'],
  });
  child.stdout?.destroy();
  const errors = text(child.stderr as NodeJS.ReadableStream);
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, errors: await errors };
}

test('a reader that stops early is no failure of the command', async () => {
  expect(await run('pipe')).toEqual({ code: 0, errors: '' });
});

(existsSync('/dev/full') ? test : test.skip)('a full disk fails the command with one line', async () => {
  const { code, errors } = await run(openSync('/dev/full', 'w'));
  expect(code).toBe(1);
  expect(errors).toMatch(/^probe: standard output cannot be written: ENOSPC: .*\n$/);
});
