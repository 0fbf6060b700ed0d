import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type Io, pause } from '@certloop/cli/dist/src/io.js';
import { run } from '@certloop/cli/dist/src/run.js';
import type { Certificate } from '@certloop/contracts';
import {
  csrLabels,
  exportSpki,
  importPrivateKey,
  parseCertificate,
  parseCsr,
  parsePem,
  spkiSha256,
  splitChain,
} from '@certloop/crypto';
import { createTestDatabase, type OpenTestDatabase } from '@certloop/db/testing';
import { dummyCaProvider, type Place } from '../../../src/main-job.js';
import type { Said } from '../certloop.js';
import { type OneProcess, startOneProcess } from '../one-process.js';

const hourMs = 3_600_000;

/** An FQDN of cert-manager, whose certificate a machine pulls. */
export interface PulledName extends Place {
  readonly fqdn: string;
}

/** The services in this process, and a machine that pulls certificates from them. */
export interface MachinePlace {
  readonly services: OneProcess;
  /** Folder of the machine. */
  readonly folder: string;
  readonly addName: (fqdn?: string) => Promise<PulledName>;
  /** Has the newest CSR signed; the new certificate is the newest one. */
  readonly sign: (name: PulledName) => Promise<Certificate>;
  /** As `sign`, with a certificate of a day of which so many hours are left. */
  readonly signWithHoursLeft: (name: PulledName, hours: number) => Promise<Certificate>;
  /** Does work while the clock of the services is so many hours ahead. */
  readonly atHour: <T>(hours: number, work: () => Promise<T>) => Promise<T>;
  /** Public keys of all CSRs, as digests. */
  readonly csrKeys: (name: PulledName) => Promise<string[]>;
  /** Environment of `certloop`, with a token of the scope. */
  readonly environment: (scope: 'READ' | 'READ_WRITE') => Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** Starts it on SQLite alone: the machine talks to the services by HTTP. */
export async function startMachinePlace(): Promise<MachinePlace> {
  const databases: (() => Promise<void>)[] = [];
  const open: OpenTestDatabase = async (schema) => {
    const made = await createTestDatabase('sqlite', schema);
    databases.push(made.drop);
    return made;
  };
  const services = await startOneProcess(open);
  const folder = await mkdtemp(join(tmpdir(), 'certloop-machine-'));
  const tokens = await createTokens(services);
  const { manager } = services.clients;
  const providerId = await dummyCaProvider(services.clients);
  const list = async (params: PulledName) =>
    [(await manager.listCsrs({ params: { spaceId: params.spaceId, fqdnId: params.fqdnId } })).body].flat();
  const atHour: MachinePlace['atHour'] = async (hours, work) => {
    services.clock.advance(hours * hourMs);
    try {
      return await work();
    } finally {
      services.clock.advance(-hours * hourMs);
    }
  };
  const sign: MachinePlace['sign'] = async ({ spaceId, fqdnId }) => {
    const params = { spaceId, fqdnId };
    const { success, message } = (await manager.signCsr({ params, body: { providerId } })).body;
    if (!success) throw new Error(message);
    const newest = (await manager.listCertificates({ params })).body.at(-1);
    if (newest === undefined) throw new Error('the signed certificate is not listed');
    return newest;
  };
  return {
    services,
    folder,
    atHour,
    sign,
    signWithHoursLeft: async (name, hours) => {
      const { config } = (await manager.getProvider({ params: { id: providerId } })).body;
      const issueFor = (more: object) =>
        manager.setProviderConfig({ params: { id: providerId }, body: { config: { ...config, ...more } } });
      await issueFor({ validityDays: 1 });
      try {
        return await atHour(hours - 24, () => sign(name));
      } finally {
        await issueFor({});
      }
    },
    addName: async (fqdn = `m${randomUUID().slice(0, 8)}.example.test`) => {
      const { id: spaceId } = (await manager.createSpace({ body: { name: fqdn } })).body;
      const { id: fqdnId } = (await manager.createFqdn({ params: { id: spaceId }, body: { fqdn } })).body;
      return { fqdn, spaceId, fqdnId };
    },
    csrKeys: async (name) =>
      (await list(name)).map(({ csrPem }) => spkiSha256(parseCsr(parsePem(csrPem, csrLabels)).spkiDer)),
    environment: (scope) => ({
      CERTLOOP_URL: services.managerUrl,
      CERTLOOP_TOKEN: tokens[scope],
      CERTLOOP_MONITOR_URL: services.monitorAccess().url,
      CERTLOOP_MONITOR_KEY: services.monitorAccess().key,
      XDG_CONFIG_HOME: join(folder, 'config'),
      PATH: process.env['PATH'] ?? '',
    }),
    close: async () => {
      await services.close();
      for (const drop of databases) await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** API tokens of an administrator, created in a session as in the console. */
async function createTokens({ managerUrl, clients: { manager } }: OneProcess) {
  const [username, password] = ['machines', 'nine green bottles'];
  await manager.createUser({ body: { username, email: 'machines@example.test', password, isAdmin: true } });
  const response = await fetch(`${managerUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';', 1);
  const headers = { cookie, origin: managerUrl, 'x-csrf-token': csrfToken };
  const create = async (scope: 'READ' | 'READ_WRITE') =>
    (await manager.createApiToken({ body: { name: scope, scope }, headers })).body.token;
  return { READ: await create('READ'), READ_WRITE: await create('READ_WRITE') };
}

export interface PullCall {
  readonly env: Readonly<Record<string, string>>;
  readonly atStep?: (step: string) => void;
  readonly onSignal?: Io['onSignal'];
}

/** `certloop` in this process, with real pauses, as a server needs time to reload. */
export async function runHere(
  args: readonly string[],
  { env, atStep, onSignal = () => () => undefined }: PullCall,
): Promise<Said> {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') =>
    new Writable({
      write: (chunk, _encoding, done) => {
        said[name] += String(chunk);
        done();
      },
    });
  const code = await run(args, {
    env,
    out: sink('out'),
    err: sink('err'),
    isInputTerminal: false,
    askSecret: async () => '',
    ask: async () => '',
    readText: (file) => readFile(file, 'utf8'),
    onSignal,
    pause: (ms, stop) => pause(Math.min(ms, 100), stop),
    deadline: () => new AbortController().signal,
    everySecond: () => () => undefined,
    ...(atStep !== undefined && { atStep }),
  });
  return { code, ...said };
}

/** Digests of the public keys of all private keys below a folder. */
export async function keysBelow(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('key.pem'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.map(digestOfKey);
}

const digestOfKey = (pem: string): string => spkiSha256(exportSpki(importPrivateKey(pem)));

/** Serial number of the pair that `current` names, whose key fits; throws if it does not. */
export async function currentSerial(dir: string): Promise<string> {
  const read = (name: string) => readFile(join(dir, 'current', name), 'utf8');
  const [der = Buffer.alloc(0)] = splitChain(await read('fullchain.pem'));
  const leaf = parseCertificate(der);
  if (digestOfKey(await read('key.pem')) !== spkiSha256(leaf.spkiDer))
    throw new Error(`the key of ${dir}/current does not fit its certificate`);
  return leaf.serialNumber;
}

/** Serial number of a certificate as the API shows it. */
export function serialOf({ pem }: Pick<Certificate, 'pem'>): string {
  const [der = Buffer.alloc(0)] = splitChain(pem);
  return parseCertificate(der).serialNumber;
}
