import { afterEach, describe, expect, test, vi } from 'vitest';
import { hasProgram, say } from './programs.js';

const node = process.execPath;
const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
afterEach(() => {
  written.mockClear();
});

describe('a program', () => {
  test.each([
    ['ends well', ['--version'], 0],
    ['ends as it is known to', ['-e', 'process.exit(2)'], 2],
  ])('is available when it %s, and nothing is printed', (_, args, status) => {
    expect(hasProgram(node, 'no one counts', args, status)).toBe(true);
    expect(written).not.toHaveBeenCalled();
  });

  test.each([
    ['is not installed', 'no-such-program', ['--version']],
    ['cannot run with these arguments', node, ['-e', 'process.exit(1)']],
  ])('that %s is named with the consequence', (_, name, args) => {
    expect(hasProgram(name, 'no one counts', args)).toBe(false);
    expect(written.mock.calls).toEqual([
      [`SKIPPED: ${name} is not there or not allowed, so no one counts\n`],
    ]);
  });
});

describe('the output of a program', () => {
  const speak = "process.stdout.write('out,'); process.stderr.write(process.env.WORD)";

  test('contains both streams, and runs with additional environment variables', async () => {
    expect(await say(node, ['-e', speak], { WORD: 'err' })).toBe('out,err');
  });

  test('is in the error if the program fails', async () => {
    const failed = say(node, ['-e', `${speak}; process.exit(3)`], { WORD: 'err' });
    await expect(failed).rejects.toThrow(/^Command failed: .*\nout,\nerr$/s);
  });
});
