import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@certloop/contracts/testing';
import { programOfToday } from '@certloop/server/testing';
import { type Exchange, recordAcme } from './acme-recorder.js';

/** An ACME server of another project (Debian's package `pebble`). */
export interface Pebble {
  readonly directoryUrl: string;
  /** PEM of the root of its TLS certificate. */
  readonly caPem: string;
  /** PEM of the root that it issues under. */
  readonly rootPem: () => Promise<string>;
  /** Server of lego's httpreq contract, and name server, that publish what is sent to them. */
  readonly setTxt: (name: string, value: string) => Promise<void>;
  readonly clearTxt: (name: string) => Promise<void>;
  readonly dnsServer: string;
  /** Says that the certificate is to be renewed in the window (RFC 9773); newer versions only. */
  readonly setRenewalWindow: (certificatePem: string, window: RenewalWindow) => Promise<void>;
  /** What it was asked, where that is recorded. */
  readonly exchanges: readonly Exchange[];
  readonly close: () => Promise<void>;
}

export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
}

export interface PebbleOptions {
  /** Whether the programs are those of Debian's next release. */
  readonly isOfToday?: boolean;
  /** Seconds of validity by profile; one profile without a name when absent. */
  readonly profiles?: Readonly<Record<string, number>>;
  /** Length of the chain above the leaf, and number of roots beside the usual one. */
  readonly chain?: { readonly length: number; readonly alternateRoots: number };
  /** Port at which it looks for http-01 answers. */
  readonly httpPort: number;
  /** Base64url keys by kid; accounts need one then. */
  readonly eab?: Readonly<Record<string, string>>;
  /** Name server that it asks instead of its own, as `address:port`. */
  readonly resolver?: string;
  /** Takes every name for proven. */
  readonly isLenient?: boolean;
  /** Share of nonces that it refuses, in percent. */
  readonly nonceReject?: number;
  /** Whether requests go through a recorder. */
  readonly isRecorded?: boolean;
}

const maxStarts = 3;

/** Starts pebble; again at other ports where another process has taken one of its own in the meantime. */
export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (starts === maxStarts) throw error;
    }
  }
}

async function startOnce(options: PebbleOptions): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'pebble-'));
  const ports = await freePorts();
  makeTlsFiles(folder);
  await writeConfig(folder, ports, options);
  const dnsServer = `127.0.0.1:${ports.dns}`;
  const names = startNameServer(ports, options);
  const ca = startCa(folder, { ...options, resolver: options.resolver ?? dnsServer });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const caPem = read('tlsca.pem');
  const origin = `https://127.0.0.1:${ports.listen}`;
  const recorder =
    options.isRecorded === true
      ? await recordAcme(origin, { key: read('srv.key'), cert: read('srv.pem'), ca: caPem })
      : undefined;
  const close = async () => {
    await recorder?.close();
    await Promise.all([ca.stop(), names.stop()]);
    rmSync(folder, { recursive: true });
  };
  await untilItAnswers(`${origin}/dir`, caPem, [ca.ended, names.ended]).catch(async (error) => {
    await close();
    throw error;
  });
  return {
    directoryUrl: `${recorder?.url ?? origin}/dir`,
    caPem,
    dnsServer,
    exchanges: recorder?.exchanges ?? [],
    ...controlsOf(ports, caPem),
    close,
  };
}

/** Ports of pebble, of its management, and of the name server and the management of that. */
interface Ports {
  readonly listen: number;
  readonly management: number;
  readonly dns: number;
  readonly challenges: number;
}

const freePorts = async (): Promise<Ports> => ({
  listen: await freePort(),
  management: await freePort(),
  dns: await freePort(),
  challenges: await freePort(),
});

async function writeConfig(
  folder: string,
  ports: Ports,
  { httpPort, eab, profiles }: PebbleOptions,
): Promise<void> {
  const config = {
    pebble: {
      listenAddress: `127.0.0.1:${ports.listen}`,
      managementListenAddress: `127.0.0.1:${ports.management}`,
      certificate: join(folder, 'srv.pem'),
      privateKey: join(folder, 'srv.key'),
      httpPort,
      tlsPort: await freePort(),
      ocspResponderURL: '',
      externalAccountBindingRequired: eab !== undefined,
      ...(eab !== undefined && { externalAccountMACKeys: eab }),
      ...(profiles === undefined
        ? { certificateValidityPeriod: 86_400 }
        : { profiles: profilesOf(profiles) }),
      domainBlocklist: ['blocked-domain.example'],
    },
  };
  writeFileSync(join(folder, 'pebble.json'), JSON.stringify(config));
}

/** Path of a program of the machine's release, or of Debian's next one. */
const programOf = (name: string, { isOfToday = false }: PebbleOptions) =>
  isOfToday ? programOfToday(name) : name;

function startNameServer({ dns, challenges }: Ports, options: PebbleOptions): Program {
  const dnsServer = `127.0.0.1:${dns}`;
  return run(programOf('pebble-challtestsrv', options), [
    '-management',
    `127.0.0.1:${challenges}`,
    '-http01',
    '',
    '-https01',
    '',
    '-tlsalpn01',
    '',
    '-defaultIPv6',
    '',
    // the newer one also answers DNS over HTTPS, at a port of its own
    ...(options.isOfToday === true ? ['-doh', '', '-dnsserver', dnsServer] : ['-dns01', dnsServer]),
  ]);
}

function startCa(folder: string, options: PebbleOptions & { readonly resolver: string }): Program {
  const { resolver, chain, isLenient = false, nonceReject = 5 } = options;
  const words = ['-config', join(folder, 'pebble.json'), '-dnsserver', resolver];
  return run(programOf('pebble', options), words, {
    PEBBLE_VA_NOSLEEP: '1',
    ...(isLenient && { PEBBLE_VA_ALWAYS_VALID: '1' }),
    PEBBLE_WFE_NONCEREJECT: String(nonceReject),
    ...(chain !== undefined && {
      PEBBLE_CHAIN_LENGTH: String(chain.length),
      PEBBLE_ALTERNATE_ROOTS: String(chain.alternateRoots),
    }),
  });
}

/** Rejects if one of the programs ends first. */
async function untilItAnswers(url: string, ca: string, ended: readonly Promise<void>[]): Promise<void> {
  const end = Promise.race(ended).then(() => {
    throw new Error('pebble ended at its start');
  });
  // they also end when the test stops them
  end.catch(() => undefined);
  const directory = () => getText(url, ca).catch(() => '');
  await Promise.race([until(async () => (await directory()).includes('newOrder')), end]);
}

/** What tests ask of pebble and of its name server by their management. */
function controlsOf({ management, challenges }: Ports, caPem: string) {
  const post = async (act: string, body: object) => {
    await fetch(`http://127.0.0.1:${challenges}/${act}`, { method: 'POST', body: JSON.stringify(body) });
  };
  return {
    rootPem: () => getText(`https://127.0.0.1:${management}/roots/0`, caPem),
    setTxt: (name: string, value: string) => post('set-txt', { host: name, value }),
    clearTxt: (name: string) => post('clear-txt', { host: name }),
    setRenewalWindow: async (certificatePem: string, suggestedWindow: RenewalWindow) => {
      const body = { Certificate: certificatePem, ARIResponse: JSON.stringify({ suggestedWindow }) };
      await getText(`https://127.0.0.1:${management}/set-renewal-info/`, caPem, JSON.stringify(body));
    },
  };
}

const profilesOf = (profiles: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(profiles).map(([name, validityPeriod]) => [name, { description: name, validityPeriod }]),
  );

function makeTlsFiles(folder: string): void {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = [
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign',
  ];
  const root = ['-keyout', 'tlsca.key', '-out', 'tlsca.pem', '-days', '3650', '-subj', '/CN=tls ca'];
  openssl('req', '-x509', ...key, ...root, ...authority);
  openssl('req', '-new', ...key, '-keyout', 'srv.key', '-out', 'srv.csr', '-subj', '/CN=localhost');
  writeFileSync(join(folder, 'srv.ext'), 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n');
  const signer = ['-CA', 'tlsca.pem', '-CAkey', 'tlsca.key', '-CAcreateserial', '-days', '800'];
  openssl('x509', '-req', '-in', 'srv.csr', ...signer, '-extfile', 'srv.ext', '-out', 'srv.pem');
}

interface Program {
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

function run(
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Program {
  const child = spawn(program, words, {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    ended,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Text of a good answer, to GET or to POST of the body. */
function getText(url: string, ca: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // pebble refuses requests without a User-Agent (RFC 8555 §6.1)
    const headers = { 'User-Agent': 'certloop-tests' };
    request(url, { ca, headers, method: body === undefined ? 'GET' : 'POST' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${url}: ${response.statusCode} ${text}`));
      });
    })
      .on('error', reject)
      .end(body);
  });
}
