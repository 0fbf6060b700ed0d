import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { importSources } from '@certloop/contracts';
import {
  certificateLabel,
  csrLabels,
  describeCsr,
  parseCertificate,
  parseCsr,
  parsePem,
  parsePemBlocks,
} from '@certloop/crypto';
import { say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesBelow, keyPieces } from '../../support/import/key-pieces.js';
import { readPageCommands } from '../../support/import/page-commands.js';
import { type RecordingProxy, startRecordingProxy } from '../../support/import/recording-proxy.js';
import {
  issueFiles,
  startTrustingCa,
  type TrustingCa,
  toolRuns,
  writeTraefikStore,
} from '../../support/import/tool-folders.js';
import { asJson, certloop, folder, stack, startCertloop } from './one-stack.js';

let tools: string;
let ca: TrustingCa;
let proxy: RecordingProxy;
/** All that commands of imports wrote. */
const written: string[] = [];
/** Folders that tools left, by the name of the tool. */
const left = new Map<string, string>();

const issue = (name: string, to: string) => issueFiles(ca, name, to);

const environment = () => ({ CERTLOOP_URL: proxy.url, CERTLOOP_TOKEN: stack.credentials.certManager.token });

async function runImport(args: readonly string[]) {
  const said = await certloop(['import', ...args], { env: environment() });
  written.push(said.out, said.err);
  return said;
}

async function importAsJson(args: readonly string[], code = 0) {
  const said = await runImport([...args, '--space', 'From disk', '-o', 'json']);
  expect(said).toMatchObject({ code, err: code === 0 ? '' : expect.any(String) });
  return JSON.parse(said.out);
}

/** Tools whose folders are imported: those that run here, and two whose files are made by their documentation. */
const rows: readonly (readonly [tool: string, isThere: boolean, name: string])[] = [
  ...Object.entries(toolRuns).map(([tool, { isThere, name }]) => [tool, isThere, name] as const),
  ['traefik', true, 'shop.traefik.test'],
  ['pem', true, 'shop.pem.test'],
];

/** Tests of imports from the folders of other programs, on the stack of the file that calls this. */
export function describeImport(): void {
  describe('an import from disk', () => {
    beforeAll(openTools);
    afterAll(async () => {
      await ca.stop();
      await proxy.close();
      rmSync(tools, { recursive: true, force: true });
    });
    describe.each(rows)('of %s', (tool, isThere, name) => {
      (isThere ? test : test.skip)('prints, applies and repeats, and stores a CSR of the same key', () =>
        importFrom(tool, name),
      );
    });
    describeFailures();
    test('leaves nothing of a key anywhere', findNoKey);
  });
}

async function openTools(): Promise<void> {
  tools = mkdtempSync(join(tmpdir(), 'certloop-tools-'));
  proxy = await startRecordingProxy(stack.plan.urls['cert-manager']);
  await asJson(['spaces', 'create', 'From disk']);
  ca = await startTrustingCa(tools);
  const orders = Object.entries(toolRuns).map(async ([tool, { isThere, order }]) => {
    const own = join(tools, tool);
    mkdirSync(own);
    if (isThere) left.set(tool, await order(ca, own));
  });
  await Promise.all(orders);
  const store = join(tools, 'traefik', 'acme.json');
  const files = await issue('shop.traefik.test', join(tools, 'traefik-files'));
  await writeTraefikStore(store, { main: 'shop.traefik.test', sans: ['www.shop.traefik.test'], ...files });
  left.set('traefik', store);
  const { certificateFile, keyFile } = await issue('shop.pem.test', join(tools, 'pem-files'));
  const bundle = join(tools, 'pem');
  mkdirSync(bundle);
  const parts = [keyFile, certificateFile].map((file) => readFileSync(file, 'utf8'));
  writeFileSync(join(bundle, 'shop.pem'), parts.join(''));
  left.set('pem', bundle);
}

async function importFrom(tool: string, name: string): Promise<void> {
  const args = [tool, left.get(tool) ?? ''];
  const existing = { fqdn: name, source: tool, names: expect.arrayContaining([name]) };
  expect(await importAsJson(args)).toEqual([
    expect.objectContaining({ ...existing, action: 'create', applied: false }),
  ]);
  expect((await certloop(['fqdns', '--space', 'From disk'])).out).not.toContain(name);

  const [applied] = await importAsJson([...args, '--apply']);
  expect(applied).toMatchObject({ ...existing, action: 'create', applied: true });
  const detail = await asJson(['certificates', 'get', name, '--space', 'From disk']);
  expect(detail).toMatchObject({
    id: applied.certificateId,
    sha256: applied.sha256,
    source: tool,
    imported: true,
  });

  const owner = tool === 'pem' ? 'none' : 'acme_client';
  const owned = await asJson(['fqdns', 'list', '--space', 'From disk', '--renewed-by', owner]);
  expect(owned.map(({ fqdn }: { fqdn: string }) => fqdn)).toContain(name);

  const again = await runImport([...args, '--space', 'From disk', '--apply', '--exit-code']);
  expect(again).toMatchObject({ code: 3, out: expect.stringContaining('there already'), err: '' });
  expect(await asJson(['certificates', 'list', name, '--space', 'From disk'])).toHaveLength(1);

  expect(await importAsJson([...args, '--csr'])).toMatchObject([
    { action: 'there', csr: { action: 'store' } },
  ]);
  expect(await asJson(['csrs', 'list', name, '--space', 'From disk'])).toEqual([]);
  expect(await importAsJson([...args, '--csr', '--apply'])).toMatchObject([{ csr: { action: 'store' } }]);
  expect(await importAsJson([...args, '--csr', '--apply'])).toMatchObject([{ csr: { action: 'there' } }]);
  const [stored] = await asJson(['csrs', 'list', name, '--space', 'From disk']);
  const csr = parseCsr(parsePem(stored.csrPem, csrLabels));
  const [leaf] = parsePemBlocks(detail.pem).filter(({ label }) => label === certificateLabel);
  expect(csr.spkiDer).toEqual(parseCertificate(leaf?.der ?? Buffer.of()).spkiDer);
  expect(describeCsr(csr).dnsNames).toEqual(detail.dnsNames);
}

function describeFailures(): void {
  test('shows people what it would do, and what it did', async () => {
    const bundle = join(tools, 'people');
    await issue('people.pem.test', bundle);
    const dry = await runImport(['pem', bundle, '--space', 'From disk']);
    expect(dry).toMatchObject({ code: 0, err: 'certloop: nothing was changed; add --apply to import\n' });
    const heading = /^FQDN +RESULT +EXPIRES +ISSUER +NAMES +PATH +REASON\n/;
    expect(dry.out).toMatch(heading);
    expect(dry.out).toMatch(
      /\npeople\.pem\.test +would create FQDN +[\d-]{10} +CN=.+ people\.pem\.test, www\.people\.pem\.test +\S+people\.pem\.test\.chain\.pem\n/,
    );
    expect(dry.out).toMatch(/skipped .+ it is the same as in \S+chain\.pem\n/);
  });

  test('works by the commands of its page in the folders that programs use', runPage);

  test('asks for a space where there are several', async () => {
    await asJson(['spaces', 'create', 'Shop', '--if-not-exists']);
    expect(await runImport(['pem', left.get('pem') ?? ''])).toMatchObject({
      code: 2,
      err: 'certloop: there are several spaces: choose one with --space; certloop spaces lists them\n',
    });
  });

  test('goes on after a kill between FQDN and certificate', async () => {
    const killed = join(tools, 'killed');
    for (const name of ['first.killed.test', 'second.killed.test']) {
      const { certificateFile } = await issue(name, join(tools, 'killed-files'));
      mkdirSync(killed, { recursive: true });
      copyFileSync(certificateFile, join(killed, `${name}.pem`));
    }
    const args = ['import', 'pem', killed, '--space', 'From disk', '--apply', '-o', 'json'];
    const child = startCertloop(args, { ...environment(), HOME: folder, TMPDIR: folder });
    proxy.before = ({ url = '' }) => !url.endsWith('/certificates/import') || !child.kill('SIGKILL');
    const [code] = await once(child, 'close');
    proxy.before = () => true;
    expect(code).toBe(null);
    const actions = (outcomes: readonly { readonly action: string }[]) =>
      outcomes.map(({ action }) => action);
    const pending = actions(await importAsJson(args.slice(1, 3)));
    expect(pending).toContain('import');
    expect(pending).not.toContain('there');
    const applied = await importAsJson([...args.slice(1, 3), '--apply']);
    expect(applied).toMatchObject([{ applied: true }, { applied: true }]);
    expect(actions(await importAsJson([...args.slice(1, 3), '--apply']))).toEqual(['there', 'there']);
  });

  test('names a certificate that the service refuses, and imports the others', async () => {
    await asJson(['spaces', 'create', 'Narrow']);
    await asJson(['spaces', 'policy', 'Narrow', '--suffix', 'inside.test']);
    const mixed = join(tools, 'mixed');
    await issue('shop.outside.test', mixed);
    await issue('shop.inside.test', mixed);
    for (const apply of [[], ['--apply']]) {
      const files = ['shop.outside.test.pem', 'shop.inside.test.pem'].map((file) => join(mixed, file));
      const said = await runImport(['pem', ...files, '--space', 'Narrow', '-o', 'json', ...apply]);
      expect(said).toMatchObject({ code: 1, err: expect.stringContaining('1 of 2 failed') });
      expect(JSON.parse(said.out)).toMatchObject([
        { fqdn: 'shop.outside.test', action: 'fail', reason: expect.stringContaining('shop.outside.test') },
        { fqdn: 'shop.inside.test', action: 'create', applied: apply.length > 0 },
      ]);
    }
  });

  test('names a folder that it may not read, and reads the others', async () => {
    const mixed = join(tools, 'forbidden');
    await issue('readable.test', join(mixed, 'readable'));
    mkdirSync(join(mixed, 'secret'), { mode: 0o000 });
    chmodSync(tools, 0o755);
    const bundle = join(tools, 'certloop.mjs');
    copyFileSync(createRequire(import.meta.url).resolve('@certloop/cli/dist/bundle/certloop.mjs'), bundle);
    // root may read every folder
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const file = join(mixed, 'readable', 'readable.test.pem');
    for (const path of [file, join(mixed, 'readable')]) chmodSync(path, 0o755);
    const args = [bundle, 'import', 'pem', join(mixed, 'secret'), file, '--space', 'From disk', '-o', 'json'];
    const child = spawn(process.execPath, args, { env: { ...environment(), HOME: tools }, ...user });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('1 of 2 failed') });
    expect(JSON.parse(out)).toMatchObject([
      { fqdn: 'readable.test', action: 'create' },
      { action: 'fail', reason: 'permission denied; check who may read and write it' },
    ]);
  });
}

/** Runs the commands of the page's table in a home folder with the folders that the tools left. */
async function runPage(): Promise<void> {
  const home = join(tools, 'home');
  const places = {
    lego: '.lego',
    'acme.sh': '.acme.sh',
    caddy: '.local/share/caddy',
    traefik: 'acme.json',
    pem: 'tls',
  };
  mkdirSync(join(home, '.local/share'), { recursive: true });
  for (const [tool, place] of Object.entries(places)) {
    const folderLeft = left.get(tool);
    if (folderLeft !== undefined) symlinkSync(folderLeft, join(home, place));
  }
  await asJson(['spaces', 'create', 'Shop', '--if-not-exists']);
  const commands = readPageCommands();
  expect(commands.map(({ tool }) => tool).sort()).toEqual([...importSources].sort());
  const lines = commands.flatMap(({ line, tool, path }) => (left.has(tool) && path[0] !== '/' ? line : []));
  // the shell expands their words; processes would take most of the time of the test
  const script = ['certloop() { printf \'%s\\t\' "$@"; echo; }', ...lines].join('\n');
  const words = (await say('bash', ['--norc', '-euc', script], { HOME: home })).trimEnd().split('\n');
  const before = process.cwd();
  process.chdir(home);
  try {
    for (const [index, line] of words.entries()) {
      const [, tool = '', ...args] = line.trimEnd().split('\t');
      const { code, out } = await runImport([tool, ...args, '-o', 'json']);
      expect({ line: lines[index], code }).toEqual({ line: lines[index], code: 0 });
      expect(JSON.parse(out)).toMatchObject([{ source: tool, action: 'create', applied: false }]);
    }
  } finally {
    process.chdir(before);
  }
}

/** Greps outputs, requests, logs, databases and all other files of the stack for the keys in all encodings. */
async function findNoKey(): Promise<void> {
  // the program itself has the words of a key
  const pieces = keyPieces(filesBelow(tools).filter((file) => !file.endsWith('.mjs')));
  expect(pieces.length).toBeGreaterThan(50);
  const requests = Buffer.concat(proxy.recorded).toString('latin1');
  const texts = new Map([
    ['requests', requests],
    ['output', written.join('\n')],
  ]);
  for (const file of filesBelow(folder)) texts.set(file, readFileSync(file, 'latin1'));
  const [line = ''] = readFileSync(join(tools, 'pem-files', 'shop.pem.test.pem'), 'utf8')
    .split('\n')
    .slice(-4);
  const found = [...texts].filter(([, content]) => content.includes(line)).map(([where]) => where);
  // what was sent is found in requests and in the database, so a key would be
  expect(found).toEqual(['requests', expect.stringMatching(/cert-manager\.sqlite/)]);
  for (const where of ['requests', 'output']) expect(texts.get(where)).not.toContain('ada@example.test');
  const leaks = [...texts].filter(([, content]) => pieces.some((piece) => content.includes(piece)));
  expect(leaks.map(([where]) => where)).toEqual([]);
}
