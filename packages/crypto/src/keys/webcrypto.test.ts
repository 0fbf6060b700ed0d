import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseDer } from '../der/der.js';
import { curves } from './curves.js';
import { exportSpki } from './keys.js';
import { parsePublicKey } from './public-keys.js';
import { parseSignatureAlgorithm } from './signature-algorithms.js';
import { verifySignature, verifySignatureSync } from './signatures.js';
import { verifyByWebCrypto } from './webcrypto.js';

const rareCurves = [...curves.values()].filter(({ name }) => !name.startsWith('P-'));
const signed = Buffer.from('what is signed');
const keysOf = (nodeName: string) => generateKeyPairSync('ec', { namedCurve: nodeName });
/** DER of the AlgorithmIdentifier of the hash with ECDSA. */
const algorithms = {
  sha224: '300a06082a8648ce3d040301',
  sha256: '300a06082a8648ce3d040302',
  'sha3-256': '300b060960864801650304030a',
} as const;

describe.each(rareCurves)('$name', (curve) => {
  test('has the same result in the JavaScript engine as in OpenSSL', async () => {
    const { privateKey, publicKey } = keysOf(curve.nodeName);
    const signature = sign('sha256', signed, privateKey);
    const judge = (content: Buffer, octets: Buffer) =>
      verifyByWebCrypto({ signed: content, signature: octets }, exportSpki(publicKey), curve, 'sha256');
    const other = sign('sha256', signed, keysOf(curve.nodeName).privateKey);
    expect(await judge(signed, signature)).toBe(true);
    expect(await judge(Buffer.from('something else'), signature)).toBe(false);
    expect(await judge(signed, other)).toBe(verify('sha256', signed, publicKey, other));
  });

  test.each(Object.entries(algorithms))(
    'is accepted with %s, at the first call and later',
    async (hash, hex) => {
      const { privateKey, publicKey } = keysOf(curve.nodeName);
      const octets = {
        signed,
        signature: sign(hash, signed, privateKey),
        signatureAlgorithm: parseSignatureAlgorithm(parseDer(Buffer.from(hex, 'hex'), 'algorithm')),
      };
      const key = parsePublicKey(parseDer(exportSpki(publicKey), 'public key'));
      const verdicts = [await verifySignature(octets, key), verifySignatureSync(octets, key)];
      expect(verdicts).toEqual([{ ok: true }, { ok: true }]);
    },
  );
});

test('names a hash that the engine does not support', async () => {
  const [curve] = rareCurves;
  if (curve === undefined) throw new Error('no curve');
  const { privateKey, publicKey } = keysOf(curve.nodeName);
  const octets = { signed, signature: sign('sha224', signed, privateKey) };
  await expect(verifyByWebCrypto(octets, exportSpki(publicKey), curve, 'sha224')).rejects.toThrow(
    'with sha224 is not accepted',
  );
});
