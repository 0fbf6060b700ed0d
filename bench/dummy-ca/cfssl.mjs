// `cfssl serve` as a peer of the dummy CA, where it is installed.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRoot, exportPrivateKeyPem, formatPem } from '../../packages/crypto/dist/src/index.js';
import { freePort } from '../../packages/e2e/dist/src/stack-ports.js';

export const hasCfssl = spawnSync('cfssl', ['version']).error === undefined;

/** Starts it with a fresh root of the kind of key and gives { url, pid, stop } once it signs. */
export async function startCfssl(keyKind, folder) {
  const { certificateDer, privateKey } = await createRoot({
    keyKind,
    subject: { organization: 'CertLoop', commonName: 'Bench root' },
    serialNumber: 1n,
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 3_650 * 86_400_000),
  });
  const file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const usages = ['digital signature', 'key encipherment', 'server auth', 'client auth'];
  const port = await freePort();
  const options = [
    ['-ca', file('ca.pem', formatPem('CERTIFICATE', certificateDer))],
    ['-ca-key', file('ca.key', exportPrivateKeyPem(privateKey))],
    ['-config', file('cfssl.json', JSON.stringify({ signing: { default: { expiry: '8760h', usages } } }))],
  ];
  const address = ['-address', '127.0.0.1', '-port', String(port)];
  const child = spawn('cfssl', ['serve', ...address, ...options.flat(), '-loglevel', '5'], {
    stdio: 'ignore',
  });
  const base = `http://127.0.0.1:${port}/api/v1/cfssl`;
  while (!(await fetch(`${base}/info`, { method: 'POST', body: '{}' }).catch(() => undefined)))
    await delay(50);
  return { url: `${base}/sign`, pid: child.pid, stop: () => child.kill() };
}
