import { createHash } from 'node:crypto';
import { addIndexes, type Dialect, dropIndexes, type Migration } from '@certloop/db';

const indexes = [
  { columns: ['serialNumber', 'createdAt', 'id'] },
  { columns: ['leafSha256'] },
  { columns: ['spkiSha256'] },
];

/**
 * Certificates are found by serial number and fingerprint. Those that earlier versions stored get their fingerprint here,
 * but for a copy of one that its FQDN has already.
 */
export const findCertificates: Migration = {
  name: '0033-find-certificates',
  up: async (runner, dialect) => {
    const ask = (text: string, values: readonly string[]) =>
      runner.query(inWordsOf(dialect, text), [...values]) as Promise<StoredCertificate[]>;
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const rows = await ask(selection, [after]);
      for (const { id, fqdn_id: fqdnId, serial_number: serial, pem } of rows) {
        const digest = fingerprintOf(pem);
        if (digest !== undefined) await ask(filling, [digest, id, fqdnId, serial, digest]);
      }
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
    await addIndexes(runner, 'certificates', indexes);
  },
  down: (runner) => dropIndexes(runner, 'certificates', indexes),
};

interface StoredCertificate {
  readonly id: string;
  readonly fqdn_id: string;
  readonly serial_number: string;
  readonly pem: string;
}

const selection = `select id, fqdn_id, serial_number, pem from certificates
  where leaf_sha256 is null and id > $1 order by id limit 500`;
const filling = `update certificates set leaf_sha256 = $1 where id = $2 and not exists (select 1 from certificates c
  where c.fqdn_id = $3 and c.serial_number = $4 and c.leaf_sha256 = $5)`;

/** SQLite takes plain question marks. */
function inWordsOf({ name }: Dialect, text: string): string {
  return name === 'sqlite' ? text.replace(/\$\d/g, '?') : text;
}

/** SHA-256 over the first certificate of a PEM text, hex. */
function fingerprintOf(pem: string): string | undefined {
  const [, base64] = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem) ?? [];
  if (base64 === undefined) return undefined;
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}
