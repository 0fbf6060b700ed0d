// Proves that the laws of what functions do hold in the apps, exceptions apart, and that each refuses what breaks it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { breaches, exceptions } from './laws-of-code.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sliceOrders = JSON.parse(readFileSync(join(root, 'scripts/laws/slice-orders.json'), 'utf8'));
const apps = Object.keys(sliceOrders);

test('the apps break laws only at the listed exceptions, and every exception is still needed', () => {
  const found = apps.flatMap((app) => breaches(app, join(root, 'apps', app, 'src')));
  const expected = Object.entries(exceptions).flatMap(([law, places]) =>
    Object.keys(places).map((place) => `${law}: ${place}`),
  );
  assert.deepEqual(found.sort(), expected.sort());
});

const useCase = (body, imports = '') =>
  `import { requireLevel } from '../access/permissions.js';\nimport { recordAudit } from '../audit/audit.service.js';\n` +
  `${imports}\nexport async function rename({ db, now }: Deps, caller: Caller, name: string) {\n${body}\n}\n`;
const asksAndRecords = useCase(`requireLevel(caller);
  await db.transaction(async (tx) => { await tx.run(name); await recordAudit(tx, caller, now()); });`);

const sweep = (body, called = '') =>
  `import { yieldBetween } from '@certloop/db';
export async function sweep({ db }: Deps, rows: Row[]) { ${body} }
async function change(deps: Deps, row: Row) { ${called} }\n`;

const files = {
  'access/permissions.ts': 'export function requireLevel(caller: Caller): void {}\n',
  'audit/audit.service.ts': 'export async function recordAudit(tx: Tx): Promise<void> {}\n',
  'spaces/ca.client.ts':
    'export async function askCa(): Promise<void> { await fetch("https://ca.example"); }\n',
};

const bad = {
  'pure-code': {
    'the clock': ['spaces/name.ts', 'export const at = () => Date.now();'],
    'a date of now': ['spaces/name.ts', 'export function at() { return new Date(); }'],
    chance: ['spaces/name.ts', 'export class Name { pick() { return Math.random(); } }'],
    'a random id': [
      'spaces/name.ts',
      `import { randomUUID as newId } from 'node:crypto';\nexport const at = () => newId();`,
    ],
    'a timer': ['spaces/deep/name.ts', 'export const later = (work: () => void) => setTimeout(work, 5);'],
    'the network': ['spaces/name.ts', 'export const ask = () => fetch("https://example.org");'],
    'the environment': ['spaces/name.ts', 'export const home = () => process.env["HOME"];'],
  },
  'clock-handed-in': {
    'the clock of a service': ['spaces/age.service.ts', 'export const at = () => Date.now();'],
    'a date of now in a store': [
      'spaces/ages.store.ts',
      'export class Ages { now() { return new Date(); } }',
    ],
    'the clock of a part of the app': ['clock-parts.service.ts', 'export const at = () => new Date();'],
  },
  'wire-names-at-the-edge': {
    'a body that a service builds': [
      'spaces/show.service.ts',
      'export const show = ({ id, lastSeen }: Space) => ({ id, last_seen: lastSeen });',
    ],
    'a member that a service reads': [
      'spaces/seen.service.ts',
      'export function seen(body: Body) { return body.last_seen; }',
    ],
    'a member by its text': ['spaces/seen.ts', "export const seen = (body: Body) => body['last_seen'];"],
    'a member that is taken apart': [
      'spaces/seen.store.ts',
      'export const seen = ({ last_seen: at }: Body) => at;',
    ],
    'a member under its own name': [
      'spaces/seen.ts',
      'export const seen = (body: Body) => { const { last_seen } = body; return last_seen; };',
    ],
    'a text that is a key': ['spaces/seen.ts', "export const seen = (at: Date) => ({ 'last_seen': at });"],
  },
  'asks-for-the-right': {
    'no question': ['spaces/rename.service.ts', asksAndRecords.replace('requireLevel(caller);', '')],
    'none in what it calls': [
      'spaces/rename.service.ts',
      useCase('await write(db, caller, now);') +
        'async function write(db: Db, caller: Caller, now: Now) { await db.transaction((tx) => recordAudit(tx)); }',
    ],
  },
  'records-what-it-writes': {
    'no entry': [
      'spaces/rename.service.ts',
      asksAndRecords.replace('await recordAudit(tx, caller, now());', ''),
    ],
    'no entry of a long one': [
      'spaces/rename.service.ts',
      useCase('requireLevel(caller); await db.longTransaction((tx) => tx.run(name));'),
    ],
  },
  'no-network-in-a-transaction': {
    'a client': [
      'spaces/rename.service.ts',
      asksAndRecords
        .replace('await tx.run(name);', 'await askCa();')
        .replace('import { recordAudit', "import { askCa } from './ca.client.js';\nimport { recordAudit"),
    ],
    'a client of what it calls': [
      'spaces/rename.service.ts',
      `${asksAndRecords.replace('await tx.run(name);', 'await further();')}
import { askCa } from './ca.client.js';
const further = () => askCa();`,
    ],
    fetch: [
      'spaces/rename.service.ts',
      asksAndRecords.replace('await tx.run(name);', 'await fetch("https://example.org");'),
    ],
    'a port': [
      'spaces/rename.service.ts',
      asksAndRecords.replace('await tx.run(name);', 'await deps.provider.sign(name);'),
    ],
  },
  'loops-that-yield': {
    'a loop without an end': ['spaces/sweep.service.ts', sweep('for (;;) { await db.transaction(some); }')],
    'a loop over rows': [
      'spaces/sweep.service.ts',
      sweep('for (const row of rows) await db.longTransaction((tx) => tx.run(row));'),
    ],
    'a loop whose condition reads': [
      'spaces/sweep.service.ts',
      sweep('while (await db.read(hasMore)) await pause();'),
    ],
    'a loop until it is done': [
      'spaces/sweep.service.ts',
      sweep('let left; do { left = await db.transaction(some); } while (left > 0);'),
    ],
    'a transaction of what it calls': [
      'spaces/sweep.service.ts',
      sweep('for (const row of rows) await change({ db }, row);', 'await deps.db.transaction(some);'),
    ],
    'a transaction of a local function': [
      'spaces/sweep.service.ts',
      sweep('const write = () => db.transaction(some); for (const row of rows) await write(row);'),
    ],
    'an iterator that is none of turns': [
      'spaces/sweep.service.ts',
      sweep('for await (const row of rows) await db.transaction((tx) => tx.run(row));'),
    ],
    'a store of the dependencies': [
      'spaces/sweep.service.ts',
      'export async function sum(deps: Deps) { for (const row of deps.rows) await deps.counts.read(row.id); }',
    ],
    'a store that is handed in': [
      'spaces/sweep.service.ts',
      'export async function sum({ counts }: Deps, ids: Id[]) { for (const id of ids) await counts.read(id); }',
    ],
    'a store that is taken out': [
      'spaces/sweep.service.ts',
      `export async function sum(deps: Deps) {
  const { counts, ids } = deps; for (const id of ids) await counts.read(id); }`,
    ],
    'transactions of all rows at once': [
      'spaces/sweep.service.ts',
      sweep('await Promise.all(rows.map((row) => db.transaction((tx) => tx.run(row))));'),
    ],
    'transactions of all rows by what it calls': [
      'spaces/sweep.service.ts',
      sweep(
        'await Promise.allSettled(rows.map((row) => change({ db }, row)));',
        'await deps.db.transaction(some);',
      ),
    ],
  },
};

for (const [law, cases] of Object.entries(bad)) {
  for (const [what, [file, text]] of Object.entries(cases)) {
    test(`${law} refuses ${what}`, () => {
      const found = breachesOf({ ...files, [file]: text });
      assert.ok(
        found.some((breach) => breach.startsWith(`${law}: cert-manager/${file}#`)),
        `found ${JSON.stringify(found)}`,
      );
    });
  }
}

test('no law rejects valid code', () => {
  const good = {
    'spaces/name.ts': `export const at = (moment: Date) => new Date(moment.getTime() + 5);
export function setTimeoutOf(row: { setTimeout: number }) { return { setTimeout: row.setTimeout }; }`,
    'spaces/space-view.ts': 'export const describe = ({ seen }: Space) => ({ last_seen: seen });',
    'spaces/spaces.repository.ts': 'export const where = { space_id: 1 };',
    'spaces/code.ts': "export const code = 'not_found'; export const MAX_AGE = { MAX_AGE: 5 };",
    'spaces/rename.service.ts': `${asksAndRecords}
import { askCa } from './ca.client.js';
export async function renew({ db }: Deps, caller: Caller) {
  requireLevel(caller);
  await askCa();
  await db.transaction((tx) => recordAudit(tx));
}
export async function read({ db }: Deps, caller: Caller) { return db.read((tx) => tx.all()); }`,
    'spaces/sweep.service.ts': `${sweep('for await (const row of yieldBetween(rows)) await db.transaction(some);')}
export async function sweepOne({ db }: Deps, rows: Row[]) {
  await db.transaction(async (tx) => { for (const row of rows) await tx.run(row); });
  for (const row of rows) routes.push(async () => { await db.transaction((tx) => tx.run(row)); });
}
export async function recordAll({ db, notices }: Deps, rows: Row[]) {
  await db.transaction(async (tx) => { for (const row of rows) await notices.record(tx, row); });
  await Promise.all(rows.map((row) => askCa(row)));
  for (const row of rows) await row.urls.next();
}`,
    'spaces/places.store.ts':
      'export async function sum({ places }: Deps, ids: Id[]) { for (const id of ids) await places.read(id); }',
  };
  assert.deepEqual(breachesOf({ ...files, ...good }), []);
});

test('only one rule decides whether a check of a certificate is sent a success', () => {
  const folder = join(root, 'apps/cert-manager/src/watch');
  const isOther = (file) => !/(^|\/)canary\/|\.test\.ts$|^signal-now\.ts$/.test(file);
  const files = readdirSync(folder, { recursive: true }).filter(
    (file) => file.endsWith('.ts') && isOther(file),
  );
  const sending = files.filter((file) => /['"`]success['"`]/.test(readFileSync(join(folder, file), 'utf8')));
  assert.ok(files.includes('watch-events.service.ts'));
  assert.deepEqual(sending, []);
});

test('docs/architecture.md prints the slice orders that are checked', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const printed = apps.map((app) => new RegExp(`^- ${app}: (.*)$`, 'm').exec(page)?.[1]);
  assert.deepEqual(
    printed,
    apps.map((app) => sliceOrders[app].join(' › ')),
  );
});

function breachesOf(filesOfTree) {
  const tree = mkdtempSync(join(tmpdir(), 'certloop-laws-'));
  try {
    for (const [file, text] of Object.entries(filesOfTree)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    }
    return breaches('cert-manager', tree);
  } finally {
    rmSync(tree, { recursive: true });
  }
}
