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
      for (const some of batchesOf(dialect, fingerprintsOf(rows))) {
        await ask(filling(dialect, some.length), some.flat());
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

type Fingerprint = readonly [id: string, digest: string];

/** All in one statement where each one is sent to a server. SQLite would read the whole table for a list. */
function batchesOf({ name }: Dialect, all: readonly Fingerprint[]): readonly (readonly Fingerprint[])[] {
  if (name === 'sqlite') return all.map((one) => [one]);
  return all.length === 0 ? [] : [all];
}

function filling({ types }: Dialect, count: number): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const [id, digest] = [2 * index + 1, 2 * index + 2];
    return `(cast($${id} as ${types.uuid}), cast($${digest} as ${types.text}))`;
  });
  return `with filled (id, digest) as (values ${rows.join(', ')})
    update certificates set leaf_sha256 = filled.digest from filled
    where certificates.id = filled.id and not exists (select 1 from certificates c
      where c.fqdn_id = certificates.fqdn_id and c.serial_number = certificates.serial_number
        and c.leaf_sha256 = filled.digest)`;
}

/** Ids and fingerprints; of copies that an FQDN has among these certificates, only the first. */
function fingerprintsOf(rows: readonly StoredCertificate[]): Fingerprint[] {
  const seen = new Set<string>();
  return rows.flatMap(({ id, fqdn_id: fqdnId, serial_number: serial, pem }): Fingerprint[] => {
    const digest = fingerprintOf(pem);
    const key = `${fqdnId} ${serial} ${digest}`;
    if (digest === undefined || seen.has(key)) return [];
    seen.add(key);
    return [[id, digest]];
  });
}

/** SQLite takes plain question marks. */
function inWordsOf({ name }: Dialect, text: string): string {
  return name === 'sqlite' ? text.replace(/\$\d+/g, '?') : text;
}

/** SHA-256 over the first certificate of a PEM text, hex. */
function fingerprintOf(pem: string): string | undefined {
  const [, base64] = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem) ?? [];
  if (base64 === undefined) return undefined;
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}
