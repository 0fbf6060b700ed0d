import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  powershellWord,
  quotedWord,
  shellLine,
  shellLines,
  shellWord,
  writeCronJob,
  writeSecretFile,
  yamlText,
} from './quoting.js';

const hostile = [
  'a b',
  "it's",
  '"; touch /tmp/x; "',
  '$(touch /tmp/x)',
  '`touch /tmp/x`',
  '*.example.com',
  '-rf',
  '\\',
  '',
  '‘x’',
];

test.each(hostile)('writes %j as one word that a shell reads as it is', (text) => {
  const read = execFileSync('sh', ['-c', `printf '%s' ${shellWord(text)}`], { encoding: 'utf8', cwd: '/' });
  expect(read).toBe(text);
});

test.each([
  ["it's", "'it''s'"],
  ['a‘b’', "'a‘‘b’’'"],
  ['$x `y`', "'$x `y`'"],
])('writes %j for PowerShell', (text, word) => {
  expect(powershellWord(text)).toBe(word);
});

test.each([
  ['www.example.com', 'www.example.com'],
  ['*.example.com', '*.example.com'],
  ['/a b', '"/a b"'],
  ['a"b\\', '"a\\"b\\\\"'],
  ['{$HOME}', '"{$HOME}"'],
])('writes %j for Apache and Caddyfiles', (text, word) => {
  expect(quotedWord(text)).toBe(word);
});

test('writes a scalar of YAML in its double-quoted form', () => {
  expect(yamlText('a: "b" # c')).toBe('"a: \\"b\\" # c"');
});

test('joins groups of words to lines, and leaves out empty ones', () => {
  expect([shellLines(['a', 'b'], [], ['c']), shellLine(['a', 'b'], [], ['c'])]).toEqual([
    'a b \\\n  c',
    'a b c',
  ]);
});

describe('a file that a command writes', () => {
  test('has its content unchanged, for its owner alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'certloop-quoting-'));
    const file = join(folder, 'a b');
    execFileSync('sh', ['-c', writeSecretFile(file, '$HOME `id` \\ "%d"')]);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([
      '$HOME `id` \\ "%d"\n',
      0o600,
    ]);
    rmSync(folder, { recursive: true });
  });

  test('of cron has no percent sign that would end its command', () => {
    expect(writeCronJob('/etc/cron.d/x', 7, 'run %d')).toBe(
      "(umask 077 && cat > /etc/cron.d/x) <<'EOF'\n7 4,16 * * * root run \\%d\nEOF",
    );
  });
});
