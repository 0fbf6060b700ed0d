// What dummy-ca has issued, by the file in which it stores its state.
import { createRequire } from 'node:module';
import { describeCertificate, parseCertificate, splitChain } from '../../packages/crypto/dist/src/index.js';

const Sqlite = createRequire(new URL('../../packages/db/package.json', import.meta.url))('better-sqlite3');

function describeLeaf(pem) {
  const [leaf = Buffer.alloc(0)] = splitChain(pem);
  return describeCertificate(parseCertificate(leaf));
}

export const serialNumberOf = (pem) => describeLeaf(pem).serialNumber.replaceAll(':', '').toLowerCase();

/**
 * FQDN and serial number of each certificate below a domain; the CA must have ended, as it locks the file. One that was
 * ordered by ACME is there twice, as a certificate and as what the order brought.
 */
export function readIssued(stateFile, domain) {
  const database = new Sqlite(stateFile, { readonly: true });
  try {
    const rows = database
      .prepare("select value from record where kind in ('certificate', 'acme-certificate')")
      .all();
    const issued = new Map();
    for (const { value } of rows) {
      const pem = pemIn(JSON.parse(value));
      const fqdn = describeLeaf(pem).dnsNames.find((name) => name.endsWith(`.${domain}`));
      const serialNumber = serialNumberOf(pem);
      if (fqdn !== undefined) issued.set(serialNumber, { fqdn, serialNumber });
    }
    return [...issued.values()];
  } finally {
    database.close();
  }
}

/** The first text of a stored record that is a certificate in PEM. */
function pemIn(record) {
  const texts = Object.values(record).flat(2);
  return texts.find((text) => typeof text === 'string' && text.includes('-----BEGIN CERTIFICATE-----'));
}
