// Proves that no test asserts how much time passes, and that trees with such tests are refused.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { meantPauses } from './pauses.mjs';
import { timesInTests } from './test-times.mjs';

test('no test asserts how much time passes, sets a limit of its own, or waits for a moment', () => {
  assert.deepEqual(timesInTests(fileURLToPath(new URL('../..', import.meta.url)), meantPauses), []);
});

const imported = "import { setTimeout as pause } from 'node:timers/promises';\n";
const began = 'const began = performance.now();\n';

const bad = {
  'time between two readings': `${began}expect(performance.now() - began).toBeLessThan(50);`,
  'at least so much time': `${began}expect(performance.now() - began).toBeGreaterThan(50);`,
  'time in seconds': `${began}const seconds = Math.round((performance.now() - began) / 1000);
    expect(seconds).not.toBeLessThanOrEqual(5);`,
  'time of hrtime': `const began = process.hrtime.bigint();
    expect(Number(process.hrtime.bigint() - began) / 1e6).toBeLessThan(5);`,
  'time since hrtime': `const [seconds] = process.hrtime(before);\nexpect(seconds).toBeLessThan(5);`,
  'time until a date': 'expect(Date.parse(notAfter) - Date.now()).toBeGreaterThan(day);',
  'about so much time': `const days = (until.getTime() - new Date().getTime()) / day;\nexpect(days).toBeCloseTo(3, 1);`,
  'a moment and its reach': `const before = Date.now();\nexpect(retryAt).toBeLessThan(before + 31_000);`,
  'a comparison': `${began}expect(performance.now() - began < 50).toBe(true);`,
  'a comparison by assert': `${began}assert.ok(isDone && performance.now() - began < 50);`,
  'the longest of many': `let slowest = 0;
    for (const one of all) { ${began} await one(); slowest = Math.max(slowest, performance.now() - began); }
    expect(slowest).toBeLessThan(50);`,
  'a moment of a callback': `let at = 0;\nserver.on('call', () => { at = performance.now(); });
    ${began}expect(at - began).toBeLessThan(50);`,
  'a moment of a promise': `const answered = new Promise((resolve) => server.on('call', () => resolve(Date.now())));
    const began = Date.now();\nexpect((await answered) - began).toBeLessThan(50);`,
  'what a function measures': `expect(await took(work)).toBeLessThan(50);
    async function took(act) { ${began} await act(); return performance.now() - began; }`,
  'what an arrow measures': `const took = async (act) => { ${began} await act(); return performance.now() - began; };
    const ms = await took(work);\nexpect(ms).toBeLessThan(50);`,
  'a property': `${began}const load = { ms: 0 };\nload.ms = performance.now() - began;\nexpect(load.ms).toBeLessThan(50);`,
  'a property that is taken out': `${began}const listed = () => ({ ms: performance.now() - began });
    const { ms } = listed();\nexpect(ms).toBeLessThan(50);`,
  'a limit of a file': 'vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });',
  'a limit of the tests of a file': 'vi.setConfig({ testTimeout: 60_000, hookTimeout: hangMs });',
  'a limit with a name of a file': 'vi.setConfig({ testTimeout });',
  'a limit among options': "test('works', { timeout: 60_000 }, async () => {});",
  'a limit of a suite': "describe('all', { timeout: 60_000 }, () => {});",
  'a limit of a test': "test('works', async () => {}, 60_000);",
  'a limit of many tests': "test.each([1, 2])('works', async () => {}, 60_000);",
  'a limit of a hook': 'beforeAll(async () => {}, 60_000);',
  'a limit with a name': "const limitMs = 60_000;\ntest('works', async () => {}, limitMs);",
  'a calculated limit': 'vi.setConfig({ testTimeout: 2 * 60_000, hookTimeout: 2 * 60_000 });',
  'a limit of a test that may be skipped': "(isGiven ? test.skip : test)('works', async () => {}, limitMs);",
  'a limit with a name of a hook': 'beforeAll(async () => {}, limitMs);',
  'a pause of a story': 'await page.waitForTimeout(500);',
  'a pause': `${imported}await pause(3000);`,
  'a pause by a timer': 'await new Promise((resolve) => setTimeout(resolve, 20));',
  'a pause of a function': `await quiet();\nfunction quiet() { return new Promise((go) => { setTimeout(go, 20); }); }`,
  'a pause of tests in a loop': `${imported}for (const row of rows) test(row, async () => { await pause(20); });`,
};

for (const [what, text] of Object.entries(bad)) {
  test(`refuses ${what}`, () => {
    for (const file of ['apps/dummy-ca/test/work.test.ts', 'packages/db/src/work.test.ts']) {
      assert.equal(timesIn({ [file]: text }).length, 1, timesIn({ [file]: text }).join('\n'));
    }
  });
}

test('accepts listed pauses, and refuses listed ones that are not there', () => {
  const file = 'apps/dummy-ca/test/work.test.ts';
  const listed = { [`${file}: pause(20)`]: 'a slow server' };
  assert.deepEqual(timesIn({ [file]: `${imported}await pause(20);` }, listed), []);
  assert.match(timesIn({ [file]: imported }, listed).join(), /pause\(20\) is listed in pauses\.mjs/);
});

test('refuses what a function of another file measures, at its line', () => {
  const files = {
    'apps/dummy-ca/test/support/took.ts': `export async function took(act) { ${began} await act(); return performance.now() - began; }`,
    'apps/dummy-ca/test/work.test.ts': `import { took as ms } from './support/took.js';\n// ü\nexpect(await ms(work)).toBeLessThan(50);`,
  };
  assert.match(
    timesIn(files).join('\n'),
    /^apps\/dummy-ca\/test\/work\.test\.ts:3: asserts how much time passes/,
  );
});

test('accepts moments in order, spans that nothing asserts, inputs, and the time of the processor', () => {
  const good = `
    const before = Date.now();
    const notAfter = new Date(Date.now() + 90 * day);
    expect(certificate.notAfter).toEqual(notAfter);
    expect(read).toBeGreaterThanOrEqual(before);
    expect(retryAt - 31_000).toBeLessThan(Date.now());
    for (const end = Date.now() + hangMs; Date.now() < end; ) await pause(20);
    process.stderr.write(\`\${(Date.now() - before) / 1000} s\`);
    expect(await excessMs(50, () => cpuMsOf(work))).toBeUndefined();
    const name = 'n' + Date.now();
    expect(name.length).toBeLessThan(50);
    { const spent = Date.now() - before; report({ spent }); }
    { const spent = counted(); expect(spent).toBeLessThan(5); }
    expect(app.clock.now() - began).toBeLessThan(50);
    vi.setConfig({ testTimeout: hangMs * rounds, hookTimeout: hangMs * rounds });
    test('works', async () => {}, hangMs + rounds * 60_000);
    test.each(rows)('works', async () => {});
    expect(list.slice(0, 3)).toHaveLength(3);`;
  const waiting = `${imported}
    while (!(await isOver())) { await pause(20); }
    await new Promise((resolve) => server.listen(0, resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => { setTimeout(resolve, 20); server.once('close', resolve); });`;
  assert.deepEqual(timesIn({ 'apps/dummy-ca/test/work.test.ts': good }), []);
  assert.deepEqual(timesIn({ 'apps/dummy-ca/test/work.test.ts': waiting }), []);
  const measured = `${began}expect(performance.now() - began).toBeLessThan(50);`;
  assert.deepEqual(
    timesIn({ 'apps/dummy-ca/src/work.ts': measured, 'apps/dummy-ca/dist/test/work.test.ts': measured }),
    [],
  );
});

function timesIn(files, meant) {
  const tree = mkdtempSync(join(tmpdir(), 'certloop-times-'));
  try {
    for (const folder of ['apps', 'packages', 'web']) mkdirSync(join(tree, folder));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    }
    return timesInTests(tree, meant);
  } finally {
    rmSync(tree, { recursive: true });
  }
}
