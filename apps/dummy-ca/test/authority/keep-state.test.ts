import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAcmeStore } from '../../src/acme/records/acme.store.js';
import { createCertificatesStore } from '../../src/authority/certificates.store.js';
import { openStateFile } from '../../src/authority/state.store.js';
import { csrField } from '../support/csrs.js';
import { rootPair } from '../support/roots.js';

const main = join(import.meta.dirname, '../../service/main.js');
const running = new Set<ChildProcess>();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dummy-ca-state-'));
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);

interface Running {
  readonly url: string;
  kill(): Promise<void>;
}

/** The service on the state; rejects with what it said when it does not start. */
async function start(file: string, more: Readonly<Record<string, string>> = {}): Promise<Running> {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DUMMY_CA_PORT: '0',
      DUMMY_CA_STATE_FILE: file,
      DUMMY_CA_ADMIN: 'true',
      DUMMY_CA_VALIDATION: 'always-valid',
      ...more,
    },
  });
  running.add(child);
  const ended = once(child, 'close');
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    let log = '';
    child.stdout.on('data', (text) => {
      log += text;
      const started = /^\{[^\n]*"event":"service.started"[^\n]*$/m.exec(log)?.[0] ?? '';
      const address = /"url":"([^"]+)"/.exec(started)?.[1];
      if (address !== undefined) resolve(address);
    });
    void ended.then(() => reject(new Error(said)));
  });
  return {
    url,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
      running.delete(child);
    },
  };
}

async function json(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, { ...init, headers: { 'Content-Type': 'application/json' } });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const sign = (url: string) =>
  json(`${url}/csr`, { method: 'POST', body: JSON.stringify({ csr: csrField(), action: 'sign' }) });

describe('stored state', () => {
  test('contains every acknowledged request when the process is killed, and continues from there', async () => {
    const file = at('state.sqlite');
    const first = await start(file);
    const root = await (await fetch(`${first.url}/root`)).text();
    const client = new AcmeClient(first.url);
    await client.register();
    const issued = await client.issue(dnsIdentifiers('stored.test'));
    const pending = await client.order(dnsIdentifiers('pending.test'));
    const signed = await sign(first.url);
    const { serialNumber } = new X509Certificate(signed.body['certificate'] ?? '');
    const revocation = { serialNumber: serialNumber.toLowerCase(), reason: 'superseded' };
    await json(`${first.url}/admin/revocations`, { method: 'POST', body: JSON.stringify(revocation) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await first.kill();

    const port = new URL(first.url).port;
    const second = await start(file, { DUMMY_CA_PORT: port });
    expect(await (await fetch(`${second.url}/root`)).text()).toBe(root);
    const found = await json(`${second.url}/certificate/${signed.body['id']}`);
    expect(found.body['certificate']).toBe(signed.body['certificate']);
    const status = await json(`${second.url}/certificate-status/${revocation.serialNumber}`);
    expect(status.body).toMatchObject({ status: 'revoked', reason: 'superseded' });
    // the same account, with its orders, its certificate and its proofs
    expect((await client.post(pending.headers.get('location') ?? '')).body).toMatchObject({
      status: 'pending',
    });
    expect((await client.post(issued.order.certificate ?? '')).text).toBe(issued.download.text);
    expect((await client.issue(dnsIdentifiers('later.test'))).order.status).toBe('valid');
    const next = new X509Certificate((await sign(second.url)).body['certificate'] ?? '');
    expect(BigInt(`0x${next.serialNumber}`)).toBeGreaterThan(BigInt(`0x${serialNumber}`));
  });

  test('loses no acknowledged certificate over four kills during work', async () => {
    const file = at('killed.sqlite');
    const answered: Record<string, string>[] = [];
    for (let round = 0; round < 4; round += 1) {
      const service = await start(file);
      let isAlive = true;
      const enough = answered.length + 4 + round;
      const work = await new Promise<Promise<void>[]>((resolve) => {
        const begun = Array.from({ length: 4 }, async () => {
          while (isAlive) {
            const reply = await sign(service.url).catch(() => undefined);
            if (reply === undefined) return;
            // the others are in the middle of theirs
            if (answered.push(reply.body) === enough) resolve(begun);
          }
        });
      });
      await service.kill();
      isAlive = false;
      await Promise.all(work);
    }
    const service = await start(file);
    for (const { id, certificate } of answered)
      expect((await json(`${service.url}/certificate/${id}`)).body['certificate']).toBe(certificate);
    expect(answered.length).toBeGreaterThan(10);
    const serials = answered.map(({ certificate = '' }) => new X509Certificate(certificate).serialNumber);
    expect(new Set(serials).size).toBe(serials.length);
  });

  test('is used by only one process', async () => {
    await start(at('shared.sqlite'));
    await expect(start(at('shared.sqlite'))).rejects.toThrow(
      `dummy-ca: DUMMY_CA_STATE_FILE ${at('shared.sqlite')}: another process uses it\n`,
    );
  });

  test('belongs to one root', async () => {
    const file = at('rooted.sqlite');
    await (await start(file)).kill();
    const { keyPem, certificatePem } = await rootPair();
    const files = { DUMMY_CA_ROOT_KEY: keyPem, DUMMY_CA_ROOT_CERTIFICATE: certificatePem };
    await expect(start(file, files)).rejects.toThrow(/it is the state of another root/);
    await (await start(at('of-files.sqlite'), files)).kill();
    await expect(start(at('of-files.sqlite'))).rejects.toThrow(/it is the state of a root in files/);
    await start(at('of-files.sqlite'), files);
  });
});

test('resumes interrupted work: an order is ready again, a validation can be started again', () => {
  const state = openStateFile(at('under-way.sqlite'));
  const challenge = { type: 'http-01', startedAt: new Date(0), endedAt: undefined, problem: undefined };
  const identifier = { type: 'dns', value: 'a.test', wildcard: false };
  const authorization = { id: 'z', accountId: 'a', identifier, challenges: [challenge] };
  const order = { id: 'o', accountId: 'a', identifiers: [identifier], finalizedAt: new Date(0) };
  state.touch('authorization', 'z', () => authorization);
  state.touch('order', 'o', () => order);
  state.touch('order', 'p', () => ({ ...order, id: 'p', certificateId: 'c' }));
  state.commit();
  const store = createAcmeStore(10, state);
  expect(store.listBroken().map(({ id }) => id)).toEqual(['z']);
  expect(store.findOrder('o')?.finalizedAt).toBeUndefined();
  expect(store.findOrder('p')?.finalizedAt).toEqual(new Date(0));
  state.close();
});

test('removes from the file what the limits remove from memory', () => {
  const [state, certificate] = [
    openStateFile(at('bounded.sqlite')),
    { certificatePem: 'x', createdAt: new Date(0) },
  ];
  const store = createCertificatesStore({ count: 2, octets: 100 }, state);
  for (const id of ['1', '2', '3'])
    store.insert({ ...certificate, id, serialNumber: id, issuer: 'root', notAfter: new Date(0) });
  state.commit();
  expect(state.load('certificate').map(([id]) => id)).toEqual(['2', '3']);
  state.close();
});

describe('a file', () => {
  const made = () => {
    const state = openStateFile(at('made.sqlite'));
    const record = { at: new Date(0), text: 'x'.repeat(5_000) };
    for (let id = 0; id < 20; id += 1) state.touch('certificate', String(id), () => record);
    state.commit();
    state.close();
    return at('made.sqlite');
  };

  test.each([
    [
      'of another program',
      (file: string) => writeFileSync(file, 'no database, but long enough to be one'.repeat(40)),
      /it is not a state file/,
    ],
    [
      'of another SQLite program',
      (file: string) => copyWith(file, 68, [0, 0, 0, 1]),
      /it is not a state file/,
    ],
    [
      'of a newer version',
      (file: string) => copyWith(file, 60, [0, 0, 0, 2]),
      /a newer version of dummy-ca wrote it/,
    ],
    ['that is damaged', (file: string) => copyWith(file, 4_096 * 3, Array(4_096).fill(255)), /it is damaged/],
    [
      'without its end',
      (file: string) => writeFileSync(file, readFileSync(made()).subarray(0, 9_000)),
      /it is damaged/,
    ],
  ])('%s is refused in one sentence', (name, prepare, sentence) => {
    const file = at(`${name}.sqlite`);
    prepare(file);
    expect(() => openStateFile(file)).toThrow(sentence);
    expect(() => openStateFile(file)).toThrow(/^DUMMY_CA_STATE_FILE \/[^\n]+$/);
  });

  test('that cannot be written is refused', () => {
    expect(() => openStateFile(at('no/folder/state.sqlite'))).toThrow(/it cannot be written \(ENOENT\)/);
  });

  test('with an incomplete last entry keeps the earlier ones', () => {
    const state = openStateFile(at('torn.sqlite'));
    for (const id of ['first', 'second']) {
      state.touch('certificate', id, () => ({ id }));
      state.commit();
    }
    for (const ending of ['', '-wal']) copyFileSync(at(`torn.sqlite${ending}`), at(`cut.sqlite${ending}`));
    state.close();
    const log = readFileSync(at('cut.sqlite-wal'));
    writeFileSync(at('cut.sqlite-wal'), log.subarray(0, log.length - 100));
    expect(openStateFile(at('cut.sqlite')).load('certificate')).toEqual([['first', { id: 'first' }]]);
  });

  function copyWith(file: string, place: number, bytes: readonly number[]): void {
    const content = readFileSync(made());
    content.set(bytes, place);
    writeFileSync(file, content);
  }
});
