import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateLabel, createRoot, exportPrivateKeyPem, formatPem } from '@certloop/crypto';
import type { Cleanup } from '../test-stack.js';

const day = 86_400_000;

/** Settings with files for https, so that a manager orders no certificate for itself where a test counts those of the CA. */
export async function httpsFiles(cleanups: Cleanup[]) {
  const folder = await mkdtemp(join(tmpdir(), 'certloop-https-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const { certificateDer, privateKey } = await createRoot({
    keyKind: 'P-256',
    subject: { commonName: 'localhost' },
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + 365 * day),
    serialNumber: 1n,
  });
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(certFile, formatPem(certificateLabel, certificateDer));
  await writeFile(keyFile, exportPrivateKeyPem(privateKey));
  return { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}
