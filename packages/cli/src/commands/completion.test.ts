import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { processIo } from '../io.js';
import { run } from '../run.js';

async function certloop(...args: readonly string[]): Promise<string> {
  let out = '';
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      out += String(chunk);
      done();
    },
  });
  await run(args, { ...processIo(), env: { HOME: '/nonexistent' }, out: sink, err: sink });
  return out;
}

test.each([
  [['sp'], 'spaces\n'],
  [['spaces', 'c'], 'create\n'],
  [['groups', 'create', 'x', '--permission', 'READ'], 'READ\nREAD_WRITE\n'],
  [['renewals', 'list', '--sta'], '--status\n'],
  [['renewals', 'list', '--status', 'proc'], 'processing\n'],
  [['fqdns', 'renewal', 'a.test', 'o'], 'off\non\n'],
  [['completion', ''], 'bash\nfish\nzsh\n'],
  [['--outp'], '--output\n'],
  [['compl'], 'completion\n'],
  [['spaces', 'get', 'Sh'], ''],
  [['nonsense', ''], ''],
])('%j completes to %j', async (words, found) => {
  expect(await certloop('complete-words', '--', ...words)).toBe(found);
});

test('the script for bash quotes names with blanks', async () => {
  const script = await certloop('completion', 'bash');
  const use = String.raw`certloop() { printf 'Shop\nOnline shop\n'; }; COMP_WORDS=(certloop spaces get ''); COMP_CWORD=3; _certloop; printf '%s|' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n${use.replaceAll('\\$', '$')}`]);
  expect(stdout).toBe(String.raw`Shop|Online\ shop|`);
});
