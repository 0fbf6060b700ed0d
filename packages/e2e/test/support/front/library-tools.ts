import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasProgram, say } from '@certloop/server/testing';
import { expect } from 'vitest';
import type { FrontPlace } from './front-place.js';
import type { Story } from './story.js';

const source = fileURLToPath(new URL('../../../../test/support/front/acme-program/main.go', import.meta.url));
const library = '/usr/share/gocode/src/golang.org/x/crypto/acme';
/** Where `npm run acme-clients` installs the package of that name. */
const npmClient = fileURLToPath(
  new URL('../../../../../../run/acme-client-of-npm/node_modules/acme-client/', import.meta.url),
);

/** Programs on libraries for ACME. */
export const libraryTools: readonly Story[] = [
  {
    label: "a program on Go's x/crypto/acme",
    shows: 'orders, renews, revokes by the key of the certificate, changes its key, ends its account',
    isThere:
      existsSync(library) && hasProgram('go', "no program on Go's x/crypto/acme is built", ['version']),
    play: playGoProgram,
  },
  {
    label: 'a program on acme-client of npm',
    shows: 'orders, renews, revokes',
    isThere: existsSync(npmClient),
    play: playNpmProgram,
  },
];

async function playGoProgram(place: FrontPlace): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'certloop-go-'));
  try {
    const program = join(folder, 'program');
    await say('go', ['build', '-o', program, source], {
      GO111MODULE: 'off',
      GOPATH: '/usr/share/gocode',
      GOCACHE: join(folder, 'cache'),
      GOFLAGS: '',
    });
    const facts = await place.addClient('go.test');
    const [name = ''] = facts.names;
    const { directoryUrl, kid, hmacKey } = facts;
    await say(program, [directoryUrl, kid, hmacKey, place.rootFile, folder, name, 'go.test']);
    const newest = await place.judge(name, join(folder, 'second.pem'));
    expect(await place.certificatesOf(name)).toHaveLength(2);
    const revoked = await place.awaitRevoked(name);
    expect(revoked).toMatchObject({ id: newest.id, revocationReason: 'keyCompromise' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const npmProgram = `
const acme = require(process.argv[1]);
const { writeFileSync } = require('node:fs');
const [, , directoryUrl, kid, hmacKey, folder, name] = process.argv;
const refuse = async () => { throw new Error('no challenge is needed'); };
(async () => {
  const accountKey = await acme.crypto.createPrivateEcdsaKey();
  const externalAccountBinding = { kid, hmacKey };
  const client = new acme.Client({ directoryUrl, accountKey, externalAccountBinding });
  for (const file of ['first.pem', 'second.pem']) {
    const [, csr] = await acme.crypto.createCsr({ commonName: name, altNames: [name] });
    const chain = await client.auto({
      csr,
      email: 'ada@example.test',
      termsOfServiceAgreed: true,
      skipChallengeVerification: true,
      challengeCreateFn: refuse,
      challengeRemoveFn: refuse,
    });
    writeFileSync(folder + '/' + file, chain);
    if (file === 'second.pem') await client.revokeCertificate(chain, { reason: 4 });
  }
})();
`;

async function playNpmProgram(place: FrontPlace): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'certloop-npm-'));
  try {
    const { directoryUrl, kid, hmacKey, names } = await place.addClient('npm.test');
    const [name = ''] = names;
    const args = [npmClient, directoryUrl, kid, hmacKey, folder, name];
    await say(process.execPath, ['-e', npmProgram, ...args], { NODE_EXTRA_CA_CERTS: place.rootFile });
    const newest = await place.judge(name, join(folder, 'second.pem'));
    expect(await place.certificatesOf(name)).toHaveLength(2);
    expect((await place.awaitRevoked(name)).id).toBe(newest.id);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
