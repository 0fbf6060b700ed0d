// Runs setup.cjs in a small project, whose pnpm and turbo only write down how they were called.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const callsOf = (folder) => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n').filter(Boolean);
const noting = (name) => `
const fs = require('node:fs');
fs.appendFileSync('calls', '${name} ' + process.argv.slice(2).join(' ') + '\\n');
`;
const pnpm = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
${noting('pnpm')}`;

describe('scripts/setup.cjs', () => {
  let place;
  let folder;
  const write = (file, content) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'certloop-setup-'));
    folder = join(place, 'project');
    mkdirSync(join(folder, 'scripts'), { recursive: true });
    cpSync(join(root, 'scripts/setup.cjs'), join(folder, 'scripts/setup.cjs'));
    write('scripts/pnpm.mjs', pnpm);
    write('package.json', '{ "engines": { "node": "^20.19 || ^22.13 || >=24.11" } }');
    write('pnpm-lock.yaml', '');
    write('pnpm-workspace.yaml', '');
    write('calls', '');
    for (const group of ['apps', 'web']) mkdirSync(join(folder, group));
    write('packages/db/package.json', '{}');
    write('packages/other/package.json', '{}');
    write('node_modules/turbo/bin/turbo', noting('turbo'));
    const linked = join(folder, 'packages/db/node_modules');
    mkdirSync(linked);
    for (const driver of ['better-sqlite3', 'better-sqlite3-napi'])
      symlinkSync(join(root, 'packages/db/node_modules', driver), join(linked, driver));
    mkdirSync(join(folder, 'packages/other/node_modules/@certloop'), { recursive: true });
    symlinkSync('../../../db', join(folder, 'packages/other/node_modules/@certloop/db'));
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  const start = (at, home = place) =>
    spawn(process.execPath, ['scripts/setup.cjs', '--build'], {
      cwd: at,
      env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home },
    });
  async function setUp(at = folder, home = undefined) {
    const child = start(at, home);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0, said);
    return said;
  }
  const turbo = 'turbo run build --output-logs=errors-only --log-prefix=none';
  const installs = [
    'pnpm install --frozen-lockfile --ignore-scripts --config.confirmModulesPurge=false',
    'pnpm rebuild --pending',
  ];

  it('installs once, says so before, and lets turbo decide what to build', async () => {
    assert.match(await setUp(), /^certloop: installing dependencies/);
    assert.deepEqual(callsOf(folder).toSorted(), [...installs, turbo].toSorted());
    write('calls', '');
    assert.doesNotMatch(await setUp(), /install/);
    assert.deepEqual(callsOf(folder), [turbo]);
  });

  it('installs nothing in a copy of the folder and for another home', async () => {
    await setUp();
    const copy = join(place, 'copy');
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
    for (const home of [place, join(place, 'other')]) {
      writeFileSync(join(copy, 'calls'), '');
      assert.doesNotMatch(await setUp(copy, home), /install/);
      assert.deepEqual(callsOf(copy), [turbo]);
    }
  });

  it('installs in a copy that lacks dependencies', async () => {
    await setUp();
    const copy = join(place, 'copy');
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
    rmSync(join(copy, 'packages/db'), { recursive: true });
    symlinkSync(join(folder, 'packages/db'), join(copy, 'packages/db'));
    rmSync(join(copy, 'packages/other/node_modules/@certloop/db'));
    symlinkSync('../../../gone', join(copy, 'packages/other/node_modules/@certloop/db'));
    writeFileSync(join(copy, 'calls'), '');
    assert.match(await setUp(copy), /^certloop: installing dependencies/);
    assert.ok(callsOf(copy).includes(installs[0]));
  });

  it('installs when the dependencies change', async () => {
    await setUp();
    write('pnpm-lock.yaml', 'changed');
    assert.match(await setUp(), /^certloop: installing dependencies/);
  });

  it('says that it builds while turbo is busy, and gives turbo its own pnpm', async () => {
    await setUp();
    const busy = `
      const { execSync } = require('node:child_process');
      execSync('pnpm run build', { stdio: 'ignore' });
      const timer = setInterval(() => fs.existsSync('go') && clearInterval(timer), 20);`;
    write('node_modules/turbo/bin/turbo', noting('turbo') + busy);
    write('calls', '');
    const child = start(folder);
    const ended = once(child, 'close');
    const [text] = await once(child.stderr.setEncoding('utf8'), 'data');
    assert.equal(text, 'certloop: building what has changed\n');
    write('go', '');
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(callsOf(folder), [turbo, 'pnpm run build']);
  });
});

describe('scripts/pnpm.mjs', () => {
  it('runs no pnpm of another home', async () => {
    const place = mkdtempSync(join(tmpdir(), 'certloop-pnpm-'));
    const bin = (name, words) => {
      mkdirSync(join(place, name), { recursive: true });
      return writeFileSync(join(place, name, words), `#!/bin/sh\necho ${name} ${words}\n`, { mode: 0o755 });
    };
    mkdirSync(join(place, 'scripts'));
    cpSync(join(root, 'scripts/pnpm.mjs'), join(place, 'scripts/pnpm.mjs'));
    writeFileSync(join(place, 'package.json'), '{ "packageManager": "pnpm@1.2.3" }');
    bin('foreign', 'pnpm');
    bin('own', 'npx');
    mkdirSync(join(place, 'node_modules'));
    const runWith = async (home) => {
      const noted = { version: 'pnpm@1.2.3', folder: join(place, 'foreign'), home };
      writeFileSync(join(place, 'node_modules/.certloop-pnpm.json'), JSON.stringify(noted));
      const env = { PATH: [join(place, 'own'), process.env.PATH].join(delimiter), HOME: place };
      const child = spawn(process.execPath, [join(place, 'scripts/pnpm.mjs'), 'install'], { env });
      const [[text]] = await Promise.all([
        once(child.stdout.setEncoding('utf8'), 'data'),
        once(child, 'close'),
      ]);
      return text;
    };
    assert.equal(await runWith(place), 'foreign pnpm\n');
    assert.equal(await runWith(join(place, 'another')), 'own npx\n');
    rmSync(place, { recursive: true });
  });
});
