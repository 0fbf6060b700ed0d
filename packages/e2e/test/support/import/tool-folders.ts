import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDummyCaClient } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { buildCsr, exportPrivateKeyPem, generateKeyPair } from '@certloop/crypto';
import { hasProgram, programOfToday, say } from '@certloop/server/testing';
import { inheritedEnvironment } from '../../../src/config.js';
import { startService } from '../../../src/service-process.js';
import { freePort } from '../../../src/stack-ports.js';

/** A CA of which every client gets what it orders. */
export interface TrustingCa {
  readonly url: string;
  readonly directory: string;
  /** The same by https, for clients that take nothing else. */
  readonly httpsDirectory: string;
  readonly rootFile: string;
  stop(): Promise<void>;
}

/** Starts a dummy-ca that validates nothing, so that clients need neither ports nor names. */
export async function startTrustingCa(folder: string): Promise<TrustingCa> {
  const [port, httpsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const service = startService({
    app: 'dummy-ca',
    environment: {
      ...inheritedEnvironment(),
      DUMMY_CA_PORT: String(port),
      DUMMY_CA_HTTPS_PORT: String(httpsPort),
      DUMMY_CA_VALIDATION: 'always-valid',
    },
    healthUrl: `${url}/health`,
    logFile: join(folder, 'ca.log'),
  });
  await service.ready;
  const rootFile = join(folder, 'root.pem');
  writeFileSync(rootFile, await (await fetch(`${url}/root`)).text());
  const httpsDirectory = `https://localhost:${httpsPort}/acme/directory`;
  return { url, directory: `${url}/acme/directory`, httpsDirectory, rootFile, stop: () => service.stop() };
}

/** A client of ACME that was not made here, and the folder that it leaves. */
export interface ToolRun {
  readonly isThere: boolean;
  /** Host name of its certificate, which is for this name and another one. */
  readonly name: string;
  /** Orders a certificate, and returns the folder that people give to an import. */
  readonly order: (ca: TrustingCa, folder: string) => Promise<string>;
}

const nothing = 'nothing is imported from it';
const acmeSh = programOfToday('../share/acme.sh/acme.sh');
const caddy = programOfToday('caddy');

/** The folders of clients; each has its own folder. */
export const toolRuns: Readonly<Record<'certbot' | 'lego' | 'acme.sh' | 'dehydrated' | 'caddy', ToolRun>> = {
  certbot: {
    isThere: hasProgram('certbot', nothing),
    name: 'shop.certbot.test',
    order: async ({ directory }, folder) => {
      const folders = ['config', 'work', 'logs'].flatMap((kind) => [`--${kind}-dir`, join(folder, kind)]);
      const account = ['--agree-tos', '-m', 'ada@example.test', '--no-eff-email'];
      const names = ['-d', 'shop.certbot.test', '-d', 'www.shop.certbot.test', '--webroot', '-w', folder];
      await say('certbot', ['certonly', '-n', '--server', directory, ...folders, ...account, ...names]);
      return join(folder, 'config');
    },
  },
  lego: {
    isThere: hasProgram('lego', nothing),
    name: '*.shop.lego.test',
    order: async ({ directory }, folder) => {
      const account = ['--server', directory, '--path', folder, '--accept-tos', '-m', 'ada@example.test'];
      const names = ['-d', '*.shop.lego.test', '-d', 'shop.lego.test', '--dns', 'exec', '--dns.disable-cp'];
      const hook = { EXEC_PATH: '/bin/true', EXEC_SEQUENCE_INTERVAL: '1', EXEC_POLLING_INTERVAL: '1' };
      await say('lego', [...account, ...names, 'run'], hook);
      return folder;
    },
  },
  'acme.sh': {
    isThere: hasProgram(acmeSh, nothing),
    name: 'shop.acme-sh.test',
    order: async ({ directory }, folder) => {
      const home = join(folder, '.acme.sh');
      const names = ['-d', 'shop.acme-sh.test', '-d', 'www.shop.acme-sh.test', '-w', folder];
      await say(acmeSh, ['--home', home, '--server', directory, '--issue', ...names], { HOME: folder });
      return home;
    },
  },
  dehydrated: {
    isThere: hasProgram('dehydrated', nothing),
    name: 'shop.dehydrated.test',
    order: async ({ directory }, folder) => {
      const config = join(folder, 'config');
      const lines = [
        `CA=${directory}`,
        `BASEDIR=${folder}`,
        `WELLKNOWN=${folder}`,
        'KEY_ALGO=rsa',
        'KEYSIZE=2048',
      ];
      writeFileSync(config, `${lines.join('\n')}\n`);
      await say('dehydrated', ['-f', config, '--register', '--accept-terms']);
      await say('dehydrated', ['-f', config, '-c', '-d', 'shop.dehydrated.test www.shop.dehydrated.test']);
      return folder;
    },
  },
  caddy: {
    isThere: hasProgram(caddy, nothing, ['version']),
    name: 'shop.caddy.test',
    order: orderByCaddy,
  },
};

async function orderByCaddy({ httpsDirectory, rootFile }: TrustingCa, folder: string): Promise<string> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const lines = [
    '{',
    'admin off',
    'auto_https disable_redirects',
    `http_port ${httpPort}`,
    `https_port ${httpsPort}`,
    'default_bind 127.0.0.1',
    'skip_install_trust',
    'email ada@example.test',
    '}',
    'shop.caddy.test {',
    'tls {',
    'issuer acme {',
    `dir ${httpsDirectory}`,
    `trusted_roots ${rootFile}`,
    '}',
    '}',
    '}',
  ];
  writeFileSync(join(folder, 'Caddyfile'), `${lines.join('\n')}\n`);
  const server: ChildProcess = spawn(
    caddy,
    ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
    {
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: 'ignore',
    },
  );
  const data = join(folder, 'caddy');
  try {
    const name = 'shop.caddy.test';
    const port = new URL(httpsDirectory).port;
    // written last of the three
    const file = join(data, 'certificates', `localhost-${port}-acme-directory`, name, `${name}.json`);
    await until(() => existsSync(file));
  } finally {
    if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit');
  }
  return data;
}

/** Writes certificate, chain, root and key of a name and of www below it, as NAME.pem, .chain.pem, .root.pem and .key. */
export async function issueFiles({ url, rootFile }: TrustingCa, name: string, folder: string) {
  mkdirSync(folder, { recursive: true });
  const { privateKey } = await generateKeyPair('P-256');
  const { pem: csr } = await buildCsr({ privateKey, dnsNames: [name, `www.${name}`] });
  const client = createDummyCaClient({ baseUrl: url });
  const body = { csr: Buffer.from(csr).toString('base64'), action: 'sign' as const };
  const { certificate } = (await client.signCsr({ body })).body;
  const root = await readFile(rootFile, 'utf8');
  const at = (ending: string) => join(folder, `${name}.${ending}`);
  writeFileSync(at('pem'), certificate);
  writeFileSync(at('chain.pem'), `${certificate}${root}`);
  writeFileSync(at('root.pem'), root);
  writeFileSync(at('key'), exportPrivateKeyPem(privateKey), { mode: 0o600 });
  return { certificateFile: at('pem'), keyFile: at('key') };
}

/** A file as Traefik 2 and 3 document it, of a certificate and its key. */
export async function writeTraefikStore(
  file: string,
  {
    main,
    sans,
    certificateFile,
    keyFile,
  }: Readonly<Record<'main' | 'certificateFile' | 'keyFile', string>> & { readonly sans: readonly string[] },
): Promise<void> {
  const encode = async (path: string) => (await readFile(path)).toString('base64');
  const [certificate, key] = [await encode(certificateFile), await encode(keyFile)];
  const account = {
    Email: 'ada@example.test',
    Registration: { body: { status: 'valid' }, uri: 'https://acme.test/account/1' },
    PrivateKey: key,
    KeyType: '4096',
  };
  const Certificates = [{ domain: { main, sans }, certificate, key, Store: 'default' }];
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({
      le: { Account: account, Certificates },
      other: { Account: account, Certificates: null },
    }),
    { mode: 0o600 },
  );
}
