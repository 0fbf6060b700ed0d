import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCa, type TestCa } from '../support/app.js';
import {
  algorithms,
  base64,
  csrField,
  dns,
  emptyName,
  extensionRequest,
  ip,
  p256,
  rsa,
  subjectAltName,
} from '../support/csrs.js';

// Programs that no one here wrote judge what is issued; one that is not installed is named, not passed over.
const unproven = 'it judges no certificate';
const hasOpenssl = hasProgram('openssl', unproven, ['version']);
const hasCerttool = hasProgram('certtool', unproven);
const hasGo = hasProgram('go', unproven, ['version']);
const ifPresent = (present: boolean) => (present ? test : test.skip);

// The programs' remarks would only clutter the report.
const say = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' });

const host = 'www.example.test';
const attributes = [extensionRequest(subjectAltName(dns(host), ip(192, 0, 2, 7)))];
const ed25519 = generateKeyPairSync('ed25519');
const csrs = {
  'P-256': csrField({ keys: p256(), attributes }),
  'RSA-2048': csrField({ keys: rsa(), attributes }),
  Ed25519: csrField({ keys: ed25519, signatureAlgorithm: algorithms.ed25519, attributes }),
  'no subject': csrField({ subject: emptyName, attributes }),
  'RSA-2048 for 100 years': csrField({ keys: rsa(), attributes }),
};
const kinds = (['P-256', 'P-384', 'RSA-2048'] as const).flatMap((root) =>
  Object.entries(csrs).map(([name, csr]): [string, string, string] => [root, name, csr]),
);

describe('certificates are accepted', () => {
  const cas = new Map<string, TestCa>();
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dummy-ca-'));
    for (const keyType of ['P-256', 'P-384', 'RSA-2048'] as const)
      cas.set(keyType, await startCa({ keyType }));
    if (hasGo) buildGoVerifier(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Files of a root and of a certificate that it signed. */
  async function issueFiles(root: string, name: string, csr: string) {
    const ca = cas.get(root) as TestCa;
    const { pem } = await ca.issue({ csr, ...(name.includes('100 years') && { validity_days: 36_500 }) });
    const files = { root: join(folder, 'root.pem'), leaf: join(folder, 'leaf.pem') };
    writeFileSync(files.root, ca.authority.rootPem);
    writeFileSync(files.leaf, pem);
    return files;
  }

  ifPresent(hasOpenssl).each(kinds)(
    'by openssl verify -x509_strict: root %s, CSR %s',
    async (root, name, csr) => {
      const files = await issueFiles(root, name, csr);
      const strict = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', files.root];
      const named = [...strict, '-verify_hostname', host, files.leaf];
      expect(say('openssl', named)).toContain(': OK');
    },
  );

  ifPresent(hasCerttool).each(kinds)('by GnuTLS: root %s, CSR %s', async (root, name, csr) => {
    const files = await issueFiles(root, name, csr);
    const args = ['--verify', '--load-ca-certificate', files.root, '--infile', files.leaf];
    const said = say('certtool', [...args, '--verify-hostname', host]);
    expect(said).toMatch(/Chain verification output: Verified/);
  });

  ifPresent(hasGo).each(kinds)('by Go: root %s, CSR %s', async (root, name, csr) => {
    const files = await issueFiles(root, name, csr);
    const said = say(join(folder, 'verify'), [files.root, files.leaf, host]);
    expect(said).toBe('ok\n');
  });

  ifPresent(hasOpenssl).each([['P-256'], ['RSA-2048']])(
    'for a CSR that openssl req made: root %s',
    async (root) => {
      const [key, file] = [join(folder, 'own.key'), join(folder, 'own.csr')];
      const subject = [
        '-subj',
        '/C=LV/O=Example/CN=own.example.test',
        '-addext',
        `subjectAltName=DNS:${host}`,
      ];
      execFileSync(
        'openssl',
        ['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', file, ...subject],
        {
          stdio: 'ignore',
        },
      );
      const files = await issueFiles(root, 'openssl', base64(readFileSync(file)));
      const args = ['verify', '-x509_strict', '-CAfile', files.root, '-verify_hostname', host, files.leaf];
      expect(say('openssl', args)).toContain(': OK');
    },
  );
});

function buildGoVerifier(folder: string): void {
  const source = join(folder, 'verify.go');
  writeFileSync(source, goVerifier);
  const environment = {
    ...process.env,
    GOCACHE: join(folder, 'go-cache'),
    GOFLAGS: '-mod=mod',
    GO111MODULE: 'off',
  };
  execFileSync('go', ['build', '-o', join(folder, 'verify'), source], { env: environment });
}

const goVerifier = `package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
)

func main() {
	roots := x509.NewCertPool()
	root, _ := os.ReadFile(os.Args[1])
	roots.AppendCertsFromPEM(root)
	text, _ := os.ReadFile(os.Args[2])
	block, _ := pem.Decode(text)
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err == nil {
		_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: os.Args[3]})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ok")
}
`;
