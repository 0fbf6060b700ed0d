import {
  createIssuer,
  createRoot,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  type Issuer,
  issueCertificate,
} from '@certloop/crypto';
import { systemClock } from '@certloop/server';
import { describe, expect, test } from 'vitest';
import { openAcmeIssuer } from '../../src/acme/issuance/acme-issuer.service.js';
import { openAuthority } from '../../src/authority/certificate-authority.service.js';
import { freshRoot } from '../support/app.js';
import { rootPair } from '../support/roots.js';

const dayMs = 86_400_000;

async function rootOfFiles() {
  const material = await createRoot({
    keyKind: 'P-256',
    subject: { commonName: 'Root of files' },
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + 365 * dayMs),
    serialNumber: 7n,
  });
  const source = {
    ...freshRoot,
    rootKeyPem: exportPrivateKeyPem(material.privateKey),
    rootCertificatePem: formatPem('CERTIFICATE', material.certificateDer),
  };
  return { authority: await openAuthority(source, systemClock), issuer: createIssuer(material) };
}

async function intermediatePair(root: Issuer, notAfter = new Date(Date.now() + 30 * dayMs)) {
  const { privateKey, publicKey } = await generateKeyPair('P-384');
  const der = await issueCertificate(root, {
    serialNumber: 8n,
    subjectDer: encodeName({ commonName: 'Intermediate of files' }),
    spkiDer: exportSpki(publicKey),
    notBefore: new Date(Date.now() - dayMs / 2),
    notAfter,
    authority: { pathLength: 0 },
  });
  return {
    intermediateKeyPem: exportPrivateKeyPem(privateKey),
    intermediateCertificatePem: formatPem('CERTIFICATE', der),
  };
}

describe('an intermediate from files', () => {
  test('signs for ACME, below the root of files and below the alternate one', async () => {
    const { authority, issuer: root } = await rootOfFiles();
    const pair = await intermediatePair(root);
    const issuer = await openAcmeIssuer(authority, { ...freshRoot, ...pair }, systemClock);
    expect(issuer.chains.map(({ rootPem }) => rootPem)[0]).toBe(authority.rootPem);
    expect(issuer.chains[0]?.pem).toBe(pair.intermediateCertificatePem);
    expect(issuer.chains).toHaveLength(2);
  });

  test('stops the start when another root signed it', async () => {
    const { authority } = await rootOfFiles();
    const { issuer: stranger } = await rootOfFiles();
    const pair = await intermediatePair(stranger);
    await expect(openAcmeIssuer(authority, { ...freshRoot, ...pair }, systemClock)).rejects.toThrow(
      /DUMMY_CA_INTERMEDIATE_CERTIFICATE: The root has not signed it/,
    );
  });

  test('stops the start when it has expired, or its key is another', async () => {
    const { authority, issuer: root } = await rootOfFiles();
    const expired = await intermediatePair(root, new Date(Date.now() - 60_000));
    await expect(openAcmeIssuer(authority, { ...freshRoot, ...expired }, systemClock)).rejects.toThrow(
      /is valid only from/,
    );
    const { keyPem } = await rootPair();
    const mixed = { ...(await intermediatePair(root)), intermediateKeyPem: keyPem };
    await expect(openAcmeIssuer(authority, { ...freshRoot, ...mixed }, systemClock)).rejects.toThrow(
      /another private key/,
    );
  });
});
