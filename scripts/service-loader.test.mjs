import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-loader-'));
  copyFileSync(
    fileURLToPath(new URL('service-loader.cjs', import.meta.url)),
    join(folder, 'service-loader.cjs'),
  );
  writeFileSync(join(folder, 'main.mjs'), "import load from './service-loader.cjs';\n\nload('main.cjs');\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name, text) => writeFileSync(join(folder, name), text);
const compiled = () => readdirSync(join(folder, 'compiled')).map((name) => join(folder, 'compiled', name));

async function output() {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.mjs'), 'a word']);
  return stdout;
}

test('runs a program of several files, with Node alone and with compiled code', async () => {
  write('part.cjs', 'exports.words = () => process.argv.slice(2);');
  write(
    'main.cjs',
    `const { words } = require('./part.cjs');
    const { basename } = require('node:path');
    console.log(words(), basename(__filename), this === module.exports);`,
  );
  assert.equal(await output(), "[ 'a word' ] main.cjs true\n");
  const cached = compiled();
  assert.equal(cached.length, 2);
  const writtenAt = cached.map((file) => statSync(file).mtimeMs);
  assert.equal(await output(), "[ 'a word' ] main.cjs true\n");
  assert.deepEqual(compiled(), cached);
  assert.deepEqual(
    cached.map((file) => statSync(file).mtimeMs),
    writtenAt,
  );
});

test('runs the output of a new build, although it has the size and the time of the previous one', async () => {
  for (const word of ['one', 'two', 'two', 'one']) {
    write('main.cjs', `console.log("${word}");`);
    utimesSync(join(folder, 'main.cjs'), 1, 1);
    assert.equal(await output(), `${word}\n`);
  }
});

test('recompiles code that is damaged or from another V8, and caches it', async () => {
  const functions = Array.from(
    { length: 500 },
    (_, place) => `function f${place}() { return [${place}, 'word']; }`,
  );
  const calls = functions.map((_, place) => `f${place}();`);
  write('main.cjs', [...functions, ...calls, 'console.log("one");'].join('\n'));
  await output();
  const [file] = compiled();
  const good = readFileSync(file);
  const middle = good.length >> 1;
  // as a disk leaves it that lost its power
  const withHole = Buffer.from(good).fill(0, middle, middle + 4_096);
  const withOtherByte = Buffer.from(good).fill(good[middle] ^ 1, middle, middle + 1);
  const halved = good.subarray(0, middle);
  const worn = [
    Buffer.alloc(0),
    good.subarray(0, 20),
    halved,
    Buffer.alloc(good.length, 7),
    withHole,
    withOtherByte,
  ];
  for (const bad of worn) {
    writeFileSync(file, bad);
    assert.equal(await output(), 'one\n');
    assert.equal(readFileSync(file).length, good.length);
    assert.notDeepEqual(readFileSync(file), bad);
  }
});

test('runs if nothing can be written', async () => {
  write('compiled', 'in the way of the folder');
  write('main.cjs', 'console.log("one");');
  assert.equal(await output(), 'one\n');
  assert.equal(await output(), 'one\n');
});

test('runs many times in parallel before anything is cached', async () => {
  write('main.cjs', 'console.log("one");');
  const outputs = await Promise.all(Array.from({ length: 8 }, output));
  assert.deepEqual(new Set(outputs), new Set(['one\n']));
  assert.equal(compiled().length, 1);
});

test('exits with the error of a program, which names its file', async () => {
  write('main.cjs', 'setTimeout(() => { throw new Error("no way"); }, 1);');
  await assert.rejects(output(), /main\.cjs:1[\s\S]*no way/);
});
