import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createCertManagerClient } from '@certloop/contracts';
import { hangMs, until } from '@certloop/contracts/testing';
import { describeCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import { type DialectName, openDatabase } from '@certloop/db';
import { testDialects } from '@certloop/db/testing';
import { expect, test, vi } from 'vitest';
import { dummyCaProvider, type Place, patientCalls } from '../../src/main-job.js';
import { answeringAtOnePort, placeWithCsr, useAcme } from '../support/acme-place.js';
import { httpsFiles } from '../support/front/https-files.js';
import { type Replica, startReplica } from '../support/replicas.js';
import { type Cleanup, type RunningStack, startTestStack } from '../support/test-stack.js';

// `npm run kills` sets more kills, the seed, and a file for the table
const kills = Number(process.env['CERTLOOP_KILLS'] ?? '10');
const seed = Number(process.env['CERTLOOP_KILLS_SEED'] ?? '1');
const table = process.env['CERTLOOP_KILLS_TABLE'];

vi.setConfig({ testTimeout: hangMs + kills * 60_000, hookTimeout: hangMs + kills * 60_000 });

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Work that is open, whether a process works on it or not. */
const openWork = `select (select count(*) from issuances where state in ('queued', 'running', 'unknown'))
  + (select count(*) from renewal_queue where status in ('pending', 'processing') and is_test) as count`;

/** Lets failed requests be continued whose CA may have issued a certificate. */
const endPausesOfOrders =
  "update issuances set next_at = created_at where is_order and state in ('queued', 'unknown')";

/** The stack on a database of its own, and what closes it. */
async function startPlace(dialect: DialectName, cleanups: Cleanup[]) {
  // a CA that is slow, or a network, loses what it issued: the answer to the CSR, or the download
  const lost = ['finalize', 'certificate'].map((endpoint) => ({ fault: 'drop', endpoint, rate: 0.25 }));
  const environment = {
    RENEWAL_LEASE_SECONDS: '5',
    LOG_LEVEL: 'error',
    DUMMY_CA_FAULTS: JSON.stringify(lost),
    ...(await answeringAtOnePort()),
    ...(await httpsFiles(cleanups)),
  };
  const { managerDatabaseUrl: url, ...running } = await startTestStack(dialect, environment, cleanups);
  const schema = { entities: () => [], migrations: [] };
  const database = await openDatabase({ url, schema });
  cleanups.push(() => database.close());
  return { ...running, database };
}

/** The managers on one database: one, and on PostgreSQL a second one. All are killed together, as with their machine. */
function createManagers(dialect: DialectName, { stack, clients }: RunningStack, cleanups: Cleanup[]) {
  const { token } = stack.credentials.certManager;
  let replica: Replica | undefined;
  let second = clients.manager;
  cleanups.push(async () => replica?.stop());
  const startSecond = async () => {
    if (dialect !== 'postgres') return;
    replica = await startReplica(stack, 'cert-manager');
    second = createCertManagerClient({ ...patientCalls, baseUrl: replica.url, token });
  };
  return {
    /** Clients of two managers; on SQLite of the same one. */
    pair: () => [clients.manager, second] as const,
    startSecond,
    start: async () => {
      await stack.start('cert-manager');
      await startSecond();
    },
    kill: async () => {
      await Promise.all([stack.end('cert-manager', 'kill'), replica?.kill()]);
      replica = undefined;
    },
  };
}

/** Kills managers during all kinds of work; what happened to the certificates. */
async function killDuringWork(
  dialect: DialectName,
  { stack, clients, database }: Awaited<ReturnType<typeof startPlace>>,
  cleanups: Cleanup[],
) {
  const random = randomNumbers(seed);
  const managers = createManagers(dialect, { stack, clients }, cleanups);

  /** The dead hold nothing for minutes: leases and pauses are tested elsewhere, with a moved clock. */
  const endWaits = () =>
    database.transaction(async (tx) => {
      await tx.query("update issuances set lease_until = created_at where state = 'running'");
      await tx.query("update issuances set next_at = created_at where state in ('queued', 'unknown')");
      await tx.query("update renewal_queue set lease_until = created_at where status = 'processing'");
    });
  const endPauses = () =>
    database.transaction(async (tx) => {
      await tx.query(
        "update renewal_queue set scheduled_at = created_at where status = 'pending' and is_test",
      );
      await tx.query(endPausesOfOrders);
    });

  const serialOf = (pem: string) => {
    const [leaf = Buffer.alloc(0)] = splitChain(pem);
    return BigInt(`0x${describeCertificate(parseCertificate(leaf)).serialNumber.replaceAll(':', '')}`);
  };
  /** A certificate beside all others, whose number says how many the CA has issued. */
  const numberOfCa = async (csrPem: string) => {
    const csr = Buffer.from(csrPem).toString('base64');
    const { body } = await clients.ca.signCsr({ body: { csr, action: 'sign' } });
    return serialOf(body.certificate);
  };

  /** Certificates that are stored twice, and by what the log says that they came. */
  const storedTwice = () =>
    database.read((tx) =>
      tx.query(
        `select c.id, c.serial_number, c.created_at, l.action, l.details
         from certificates c left join audit_logs l
           on l.resource_id in (c.id, c.csr_id) and cast(l.details as text) like '%' || c.id || '%'
         where exists (select 1 from certificates o
           where o.fqdn_id = c.fqdn_id and o.serial_number = c.serial_number and o.id <> c.id)
         order by c.serial_number, c.created_at`,
      ),
    );

  const acme = await useAcme({ stack, clients });
  const direct = await dummyCaProvider(clients);
  const made: { readonly place: Place; readonly csrPem: string }[] = [];
  for (let n = 0; n < 4; n += 1) made.push(await placeWithCsr(clients, `k${n}.example.test`));
  const [{ csrPem } = { csrPem: '' }] = made;
  const first = await numberOfCa(csrPem);
  const answered: string[] = [];
  let isStopped = false;
  let ended = 0;
  let cancelled = 0;

  type Manager = typeof clients.manager;
  const oneOfThem = (): Manager => managers.pair()[random() < 0.5 ? 0 : 1];
  /** Two equal calls at once. They may get one certificate or two: the second may begin when the first has ended. */
  const signTwice = async (params: Place, providerId: string) => {
    const call = { params, query: { wait: '5' }, body: { providerId } };
    const results = await Promise.allSettled(managers.pair().map((manager) => manager.signCsr(call)));
    const failures: unknown[] = [];
    for (const result of results) {
      if (result.status === 'rejected') failures.push(result.reason);
      else if (result.value.body.certificate !== undefined) answered.push(result.value.body.certificate);
    }
    if (failures.length > 0) throw failures[0];
  };
  /** Requests a certificate, and cancels what is running for the FQDN, if its CSR was not sent by then. */
  const requestAndCancel = async (params: Place) => {
    const wait = { query: { wait: '0' }, body: { confirmed: true } };
    await oneOfThem().requestCertificate({ params, ...wait });
    const query = { fqdnId: params.fqdnId, status: 'running' } as const;
    const [job] = (await oneOfThem().listIssuanceJobs({ query })).body;
    if (job === undefined) return;
    const isCancelled = await oneOfThem()
      .cancelIssuanceJob({ params: { id: job.id } })
      .then(
        () => true,
        () => false,
      );
    if (isCancelled) cancelled += 1;
  };
  const act = async (params: Place): Promise<void> => {
    const chance = random();
    if (chance < 0.35) return signTwice(params, direct);
    if (chance < 0.5) return signTwice(params, acme);
    if (chance < 0.6) return requestAndCancel(params);
    if (chance < 0.75) {
      const wait = { query: { wait: '5' }, body: { confirmed: true } };
      const { body } = await oneOfThem().requestCertificate({ params, ...wait });
      if (body.certificate?.pem !== undefined && body.success) answered.push(body.certificate.pem);
    } else {
      const { body } = await oneOfThem().listCertificates({ params });
      const certificateId = body.at(-1)?.id;
      if (certificateId === undefined) return;
      await oneOfThem().createTestRenewal({ body: { ...params, certificateId, minutesFromNow: 0 } });
      await Promise.all(managers.pair().map((manager) => manager.triggerRenewals({})));
    }
  };
  await managers.startSecond();
  const callers = [...made, ...made].map(async ({ place }) => {
    while (!isStopped) {
      await act(place).then(
        () => {
          ended += 1;
        },
        () => pause(50),
      );
      await pause(20 + 60 * random());
    }
  });
  const letWork = async () => {
    // after some work and not after some time, which a busy machine may need for the start alone
    const enough = ended + 3 + Math.floor(8 * random());
    await until(async () => ended >= enough);
    await pause(100 * random());
  };
  try {
    for (let kill = 1; kill < kills; kill += 1) {
      await letWork();
      await managers.kill();
      await endWaits();
      await managers.start();
    }
    await letWork();
    isStopped = true;
    await managers.kill();
  } finally {
    isStopped = true;
    await Promise.all(callers);
  }
  // of the last one that was killed: what lives must not lose its leases
  await endWaits();
  await stack.start('cert-manager');
  await until(async () => {
    const rows = (await database.read((tx) => tx.query(openWork))) as { count: unknown }[];
    if (Number(rows[0]?.count) === 0) return true;
    await endPauses();
    return undefined;
  });

  const last = await numberOfCa(csrPem);
  const stored: bigint[] = [];
  for (const { place } of made) {
    const { body } = await clients.manager.listCertificates({ params: place });
    stored.push(...body.map(({ pem }) => serialOf(pem)));
  }
  const issued = Number(last - first) - 1;
  const distinct = new Set(stored);
  const lost = answered.filter((pem) => !distinct.has(serialOf(pem)));
  const numbers = [
    dialect,
    seed,
    kills,
    issued,
    stored.length,
    issued - distinct.size,
    stored.length - distinct.size,
    lost.length,
    answered.length,
    // calls that got the certificate of another call
    answered.length - new Set(answered).size,
    cancelled,
  ];
  if (table !== undefined) appendFileSync(table, `| ${numbers.join(' | ')} |\n`);
  return {
    stored: stored.length,
    twice: await storedTwice(),
    neverStored: issued - distinct.size,
    storedTwice: stored.length - distinct.size,
    answeredAndLost: lost.length,
  };
}

let isStarted: Promise<unknown> = Promise.resolve();
/** As startPlace, one after the other: six processes that start at once leave a log-in on a busy machine too little time. */
function startInTurn(...given: Parameters<typeof startPlace>): ReturnType<typeof startPlace> {
  const place = isStarted.then(() => startPlace(...given));
  isStarted = place.catch(() => undefined);
  return place;
}

// at once, as most of the time is that of one process that starts
test.concurrent.each(testDialects())(
  'a manager that is killed during all kinds of work stores each certificate that its CA issued, once, and each that it answered, on %s',
  async (dialect) => {
    const cleanups: Cleanup[] = [];
    try {
      const { stored, ...faults } = await killDuringWork(
        dialect,
        await startInTurn(dialect, cleanups),
        cleanups,
      );
      expect(stored).toBeGreaterThan(0);
      expect(faults).toEqual({ twice: [], neverStored: 0, storedTwice: 0, answeredAndLost: 0 });
    } finally {
      for (const cleanup of cleanups.reverse()) await cleanup();
    }
  },
);
