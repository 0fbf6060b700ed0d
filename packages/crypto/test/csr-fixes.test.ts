import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csrProfiles } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lintCsrText } from '../src/csr-lint/lint-csr.js';
import type { CsrLintOptions } from '../src/csr-lint/lint-facts.js';
import { shellQuoted } from '../src/csr-lint/shell-quoted.js';
import { buildCsr } from '../src/csrs/build-csr.js';
import { lintSamples } from './lint-samples.js';
import { hasOpenssl } from './openssl.js';

interface Repair {
  readonly name: string;
  readonly command: string;
  readonly options: CsrLintOptions;
}

/** The command of each fix of each sample in each profile. */
async function listRepairs(): Promise<Repair[]> {
  const found = [];
  for (const { code, text, options } of lintSamples) {
    const sample = await text();
    for (const profile of csrProfiles) {
      const all = { ...options, isKeyCompromised: undefined, profile };
      const { findings } = await lintCsrText(sample, { ...options, profile });
      for (const { fix } of findings) {
        const name = `${code} (${profile})`;
        if (fix?.openssl !== undefined) found.push({ name, command: fix.openssl, options: all });
      }
    }
  }
  return found;
}

const fileAfter = (command: string, option: string): string | undefined =>
  new RegExp(`${option} '([^']+)'`).exec(command)?.[1];

if (!hasOpenssl) process.stderr.write('the fixes of CSRs are not run: there is no OpenSSL 3\n');

describe.skipIf(!hasOpenssl)('the command of every fix', () => {
  test('makes a CSR without errors and warnings', async () => {
    const repairs = await listRepairs();
    expect(new Set(repairs.map(({ name }) => name.split(' ')[0])).size).toBeGreaterThan(30);
    const folder = mkdtempSync(join(tmpdir(), 'certloop-fixes-'));
    try {
      const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      repairs.forEach(({ command }, index) => {
        mkdirSync(join(folder, String(index)));
        const keyFile = fileAfter(command, '-key');
        const pem = key.export({ type: 'pkcs8', format: 'pem' });
        if (keyFile !== undefined) writeFileSync(join(folder, String(index), keyFile), pem);
      });
      const script = repairs.map(({ command }, index) => `(cd ${index} && ${command}) || exit 1`);
      writeFileSync(join(folder, 'run.sh'), script.join('\n'));
      execFileSync('sh', ['run.sh'], { cwd: folder, stdio: 'pipe' });
      for (const [index, { name, command, options }] of repairs.entries()) {
        const file = join(folder, String(index), fileAfter(command, '-out') ?? '');
        const { verdict, findings } = await lintCsrText(readFileSync(file, 'utf8'), options);
        expect({ name, command, verdict, findings }).toMatchObject({ name, verdict: 'ok' });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('commands', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const fixOf = async (
    names: readonly string[],
    commonName: string,
    options: Partial<CsrLintOptions> = {},
  ) => {
    const { pem } = await buildCsr({ privateKey, dnsNames: names, subject: { commonName } });
    const { findings } = await lintCsrText(pem, { profile: 'public', ...options });
    return findings.find(({ fix }) => fix !== undefined)?.fix;
  };

  test('name the key that is there', async () => {
    const fix = await fixOf(['a.example.org'], 'Example', { keyFile: "/etc/it's/a.key" });
    expect(fix?.openssl).toBe(
      "openssl req -new -key '/etc/it'\\''s/a.key' -out 'a.example.org.csr' -subj '/CN=a.example.org' -addext 'subjectAltName=DNS:a.example.org'",
    );
  });

  test('are one for all findings, also where only some need another key', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const { pem } = await buildCsr({
      privateKey: weak,
      dnsNames: [],
      subject: { commonName: 'www.example.org' },
    });
    const { findings } = await lintCsrText(pem, { profile: 'public' });
    expect(findings.length).toBeGreaterThan(1);
    const fixes = new Set(findings.map(({ fix }) => JSON.stringify(fix)));
    expect([...fixes].map((fix) => JSON.parse(fix).text)).toEqual(['Create a new key and a CSR for it.']);
  });

  test('are absent where the CA certifies none of the names, which the sentence says', async () => {
    const fix = await fixOf([], 'www.example.test');
    expect(fix).toEqual({
      text: 'Create the CSR again with the same key. A public CA does not certify www.example.test.',
    });
  });

  test('come with an INF file for certreq', async () => {
    const fix = await fixOf(['*.example.org', 'example.org'], 'Example');
    expect(fix?.certreq?.split('\r\n')).toEqual([
      '; certreq -new wildcard.example.org.inf wildcard.example.org.csr',
      '[Version]',
      'Signature="$Windows NT$"',
      '[NewRequest]',
      'Subject="CN=*.example.org"',
      'KeyAlgorithm=ECDSA_P256',
      'KeyLength=256',
      'HashAlgorithm=sha256',
      'ProviderName="Microsoft Software Key Storage Provider"',
      'MachineKeySet=true',
      'RequestType=PKCS10',
      'KeyUsage=0x80',
      '[Extensions]',
      '2.5.29.17="{text}"',
      '_continue_="dns=*.example.org&"',
      '_continue_="dns=example.org"',
      '',
    ]);
  });

  test.each(["it's", 'a"b', 'a\nb', 'a\u202eb'])('are not given for the name %j', async (name) => {
    const fix = await fixOf(['a.example.org'], name);
    expect(fix).toEqual({ text: expect.stringContaining('no command line should carry') });
  });

  test('leave out names that the CA refuses, and say so', async () => {
    const fix = await fixOf(['a.example.org', 'a.local'], 'a.example.org');
    expect(fix?.openssl).not.toContain('a.local');
    expect(fix?.text).toContain('The command leaves out a.local.');
  });

  test('are not given where the FQDN itself is refused', async () => {
    const fix = await fixOf(['a.local', 'a.example.org'], 'a.local', { fqdn: 'a.local' });
    expect(fix?.openssl).toBeUndefined();
    expect(fix?.text).toContain('A public CA does not certify this FQDN.');
  });
});

test('a quoted text is one word of a shell', () => {
  const texts = fc
    .sample(fc.string({ unit: 'binary', maxLength: 40 }), 1000)
    .map((text) => text.toWellFormed().replaceAll('\0', ''));
  const script = texts.map((text) => `printf '%s\\0' ${shellQuoted(text)}`).join('\n');
  const folder = mkdtempSync(join(tmpdir(), 'certloop-quoting-'));
  try {
    writeFileSync(join(folder, 'words.sh'), script);
    const output = execFileSync('sh', ['words.sh'], { cwd: folder, encoding: 'utf8' });
    expect(output.split('\0').slice(0, -1)).toEqual(texts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
