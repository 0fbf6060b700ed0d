import {
  certificateLabel,
  createIssuer,
  createRoot,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
} from '@certloop/crypto';

/** Issues certificates of a CA that the services do not know; each has the same key. */
export type ForeignCa = (hostname: string, notBefore: Date, notAfter: Date) => Promise<string>;

/** A root and a key for all certificates of a batch: to make them for each takes ten times as long. */
export async function createForeignCa(now: Date): Promise<ForeignCa> {
  const year = 366 * 86_400_000;
  const root = await createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Foreign CA' },
      notBefore: new Date(now.getTime() - 20 * year),
      notAfter: new Date(now.getTime() + 20 * year),
      serialNumber: 1n,
      permittedNames: undefined,
    }),
  );
  const { publicKey } = await generateKeyPair('P-256');
  const spkiDer = exportSpki(publicKey);
  let serialNumber = 1n;
  return async (hostname, notBefore, notAfter) => {
    serialNumber += 1n;
    const dates = { notBefore, notAfter };
    const subjectAltNames = { dnsNames: [hostname] };
    const subjectDer = Buffer.of(0x30, 0);
    const der = await issueCertificate(root, {
      serialNumber,
      subjectDer,
      spkiDer,
      ...dates,
      subjectAltNames,
    });
    return formatPem(certificateLabel, der);
  };
}
