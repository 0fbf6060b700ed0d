import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processIo } from '@certloop/cli/dist/src/io.js';
import { joinHookWords, parseHook } from '@certloop/cli/dist/src/machine/hook-words.js';
import { createProgram } from '@certloop/cli/dist/src/program.js';
import { hasProgram, say } from '@certloop/server/testing';
import { expect, test } from 'vitest';

const examples = fileURLToPath(new URL('../../../../../docs/examples/', import.meta.url));
const units = ['certloop-pull@.service', 'certloop-pull-once@.service', 'certloop-pull-once@.timer'];
const ifSystemd = hasProgram('systemd-analyze', 'no unit of certloop pull is verified') ? test : test.skip;

ifSystemd('systemd finds no fault in the units', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certloop-units-'));
  try {
    // the program of the page is not installed here
    for (const unit of units) {
      const text = await readFile(join(examples, unit), 'utf8');
      await writeFile(join(folder, unit), text.replace('/usr/local/bin/certloop', process.execPath));
    }
    const said = await say('systemd-analyze', ['verify', ...units.map((unit) => join(folder, unit))]);
    expect(said.split('\n').filter((line) => line.includes('certloop'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each(['certloop-pull@.service', 'certloop-pull-once@.service', 'certloop-pull.cron'])(
  'the command of %s is one that certloop understands',
  async (file) => {
    const text = await readFile(join(examples, file), 'utf8');
    const options = /PULL_OPTIONS=(.*)$/m.exec(text)?.[1] ?? '';
    const [, line = ''] = /\/usr\/local\/bin\/certloop (pull .*)$/m.exec(text) ?? [];
    const words = line
      .replace('$PULL_OPTIONS', options)
      .split(' ')
      .filter((word) => word !== '');
    const program = createProgram(words, processIo(), () => undefined);
    const pull = program.commands.find((command) => command.name() === 'pull');
    const known = new Set([...program.options, ...(pull?.options ?? [])].map(({ long }) => long));
    const joined = joinHookWords(words, (word) => known.has(word));
    const unknown = joined.filter((word) => word.startsWith('-') && !known.has(word));
    expect(unknown).toEqual([]);
    const place = joined.indexOf('--reload');
    if (place !== -1) expect(parseHook(joined[place + 1] ?? '')).toEqual(['systemctl', 'reload', 'nginx']);
  },
);
