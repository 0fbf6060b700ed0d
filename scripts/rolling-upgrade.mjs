// npm run rolling-upgrade -- --from COMMIT [--tree FOLDER] [--seconds 20] [--names 60] [--keep]
// Upgrades two replicas of cert-manager under load, from an earlier commit to this tree, as docker/upgrade.sh does:
// migrates, then replaces one replica after the other. In between, old and new replicas serve side by side, the old
// version comes back, and an old replica is killed. Prints what became of the calls and certificates, and fails if a
// call failed, or if a certificate was lost, issued or stored twice. --tree uses a built tree of the commit.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { addFqdn, makeCsr, makeSpace, uploadCsr } from '../packages/e2e/dist/src/main-job.js';
import { readIssued } from './rolling-upgrade/authority-log.mjs';
import { countOpenRows, countReportedLosses, readStored } from './rolling-upgrade/database.mjs';
import { buildEarlierTree, commitOf, removeTree } from './rolling-upgrade/earlier-tree.mjs';
import { request, requestAtBoth, sign, startLoad } from './rolling-upgrade/load.mjs';
import {
  clientOf,
  firstReplica,
  migrate,
  openPlace,
  setUpProviders,
  startReplica,
} from './rolling-upgrade/place.mjs';
import { createRecord } from './rolling-upgrade/record.mjs';
import { compareCertificates, tableOfCalls, tableOfCounts } from './rolling-upgrade/verdict.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const domain = 'rolling.test';
const pauseMs = 150;
// a row that a killed replica has left is taken over within minutes
const drainMs = 900_000;
const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    tree: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    names: { type: 'string', default: '60' },
    keep: { type: 'boolean', default: false },
  },
});
const phaseMs = Number(values.seconds) * 1000;
const nameCount = Number(values.names);
if (values.from === undefined || !(phaseMs > 0) || !(nameCount > 0)) {
  process.stderr.write(
    'usage: npm run rolling-upgrade -- --from COMMIT [--tree FOLDER] [--seconds N] [--names N] [--keep]\n',
  );
  process.exit(2);
}

const began = performance.now();
const seconds = () => (performance.now() - began) / 1000;
const say = (sentence) => process.stderr.write(`${seconds().toFixed(0).padStart(5)} s  ${sentence}\n`);

const commit = commitOf(values.from);
say(`building ${commit.slice(0, 8)}`);
const oldTree = values.tree ?? buildEarlierTree(commit);
const folder = mkdtempSync(join(tmpdir(), 'certloop-rolling-'));
try {
  process.exitCode = (await upgrade()) ? 0 : 1;
} finally {
  if (values.tree === undefined) removeTree(oldTree);
  if (values.keep) say(`data and logs are in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}

/** Whether all is well. */
async function upgrade() {
  const place = await openPlace(oldTree, folder);
  try {
    const record = createRecord();
    const one = firstReplica(place, 'old 1');
    place.replicas.push(one, await startReplica(place, oldTree, 'old 2'));
    const client = clientOf(place);
    const deps = { client, record, providers: await setUpProviders(place, client), makeCsr };
    const places = await makeNames(deps);
    say(`load on ${record.names.size} names`);
    const load = startLoad(deps, places, pauseMs);
    const events = await replaceAll(place, deps, places).finally(() => load.stop());
    const open = await drain(place);
    return await report(place, { record, open, events });
  } finally {
    await place.close();
  }
}

/** Names by the work that callers do on them, each with a CSR; those to be renewed have a certificate. */
async function makeNames(deps) {
  const clients = { manager: deps.client };
  const make = async (kind, count) => {
    const { id: spaceId } = await makeSpace(clients, kind);
    const made = [];
    for (let n = 0; n < count; n += 1) {
      const fqdn = `${kind}${n}.${domain}`;
      const { id: fqdnId } = await addFqdn(clients, spaceId, fqdn);
      const place = { spaceId, fqdnId, fqdn };
      await uploadCsr(clients, place, fqdn, await makeCsr(fqdn));
      made.push(place);
    }
    return made;
  };
  const direct = await make('renew', Math.ceil((nameCount * 2) / 3));
  const byOrder = (await make('renew-acme', Math.floor(nameCount / 3))).map((place) => ({
    ...place,
    hasWindow: true,
  }));
  await Promise.all([
    ...direct.map((place) => sign(deps, place)),
    ...byOrder.map((place) => request(deps, place)),
  ]);
  const renew = [...direct, ...byOrder];
  for (const { spaceId, fqdnId, fqdn } of renew) {
    await deps.client.setRenewalEnabled({ params: { spaceId, fqdnId }, body: { renewalEnabled: true } });
    deps.record.nameOf(fqdn).isExact = true;
  }
  return {
    renew,
    sign: await make('sign', 4),
    shared: await make('shared', 2),
    request: await make('request', 3),
    mixed: (await make('mixed', 2)).map((place) => ({ ...place, mayRefuse: true })),
    upload: await make('upload', 2),
    both: await make('both', 4),
  };
}

/** Replaces the replicas under load; what was noted on the way. */
async function replaceAll(place, deps, places) {
  const { replicas } = place;
  const phase = async (sentence, ms = phaseMs) => {
    say(`${replicas.map(({ name }) => name).join(', ')}: ${sentence}`);
    await pause(ms);
  };
  const stop = async (replica) => {
    say(`stopping ${replica.name}`);
    await replica.stop();
    replicas.splice(replicas.indexOf(replica), 1);
  };
  const start = async (tree, name) => {
    say(`starting ${name}`);
    replicas.push(await startReplica(place, tree, name));
  };
  const [one, two] = replicas;
  const steps = pendingSteps();
  // a version does not start on the schema of a later one, so its third replica starts before
  const third = steps.length === 0 ? undefined : await startReplica(place, oldTree, 'old 3');

  await phase('both old');
  say(`migrating: ${steps.length === 0 ? 'no step' : steps.join(', ')}`);
  await migrate(place, root);
  await phase('migrated, both old');
  await stop(one);
  await start(root, 'new 1');
  await requestAcross(place, deps, places);
  await phase('side by side', 2 * phaseMs);

  const comeback = third ?? (await startReplica(place, oldTree, 'old 3'));
  replicas.push(comeback);
  await phase('the old version beside the new one');
  await stop(replicas.find(({ name }) => name === 'new 1'));
  await phase('only the old version again');
  await start(root, 'new 2');
  await stop(comeback);
  await phase('side by side');

  const openAtKill = await countOpenRows(place.database);
  say(`killing ${two.name}; open rows: ${JSON.stringify(openAtKill)}`);
  two.isKilled = true;
  await two.kill();
  replicas.splice(replicas.indexOf(two), 1);
  await phase('alone');
  await start(root, 'new 3');
  await phase('both new');
  return { steps, openAtKill };
}

/** Requests certificates at an old and a new replica at the same time. */
async function requestAcross(place, deps, places) {
  say('requesting at an old and a new replica at the same time');
  const clients = place.replicas.map((replica) => clientOf(place, replica));
  const [even, odd] = [clients, clients.toReversed()];
  await Promise.all(places.both.map((name, n) => requestAtBoth(deps, name, n % 2 === 0 ? even : odd)));
}

/** Migrations of cert-manager that the earlier commit does not have. */
function pendingSteps() {
  const [old, current] = [oldTree, root].map((tree) =>
    readdirSync(join(tree, 'apps/cert-manager/dist/src/migrations')).filter((file) => file.endsWith('.js')),
  );
  return current.filter((file) => !old.includes(file)).map((file) => file.replace(/\.js$/, ''));
}

/** Waits until no row is open; the rows that are open after a quarter of an hour. */
async function drain({ database }) {
  say('the load has ended: waiting until no work is open');
  for (const deadline = Date.now() + drainMs; ; await pause(1000)) {
    const counts = await countOpenRows(database);
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (total === 0 || Date.now() > deadline) return counts;
  }
}

/** Prints the tables; whether all is well. */
async function report(place, { record, open, events }) {
  const stored = await readStored(place.database);
  const reported = await countReportedLosses(place.database);
  // the CA locks its file until it ends
  for (const replica of place.replicas) await replica.stop();
  await place.stack.end('dummy-ca', 'stop');
  const issued = readIssued(place.stateFile, domain);
  const openRows = Object.entries(open).filter(([, count]) => count > 0);
  const findings = {
    'failed calls': record.sentences.failed,
    'refused calls': record.sentences.refused,
    'acknowledged, but not shown by the next read': record.sentences.unseen,
    ...compareCertificates({ names: record.names, issued, stored, reported }),
    'open rows after the load': openRows.map(([table, count]) => `${table}: ${count}`),
  };
  const counts = {
    'seconds in all': seconds().toFixed(0),
    'migrations that the old version does not have': events.steps.length,
    'open rows when the replica was killed': Object.values(events.openAtKill).reduce((a, b) => a + b, 0),
    'certificates issued by the CA': issued.length,
    'certificates stored': stored.length,
    'reported by the audit log as not stored': reported,
    ...Object.fromEntries(Object.entries(findings).map(([what, texts]) => [what, texts.length])),
  };
  process.stdout.write(`${tableOfCalls(record.calls)}\n\n${tableOfCounts(counts)}\n`);
  for (const [what, texts] of Object.entries(findings))
    for (const text of texts.slice(0, 10)) process.stdout.write(`${what}: ${text}\n`);
  return Object.values(findings).every((texts) => texts.length === 0);
}
