import type { Database, Tx } from '@certloop/db';
import { type KeyRing, lookupHashes, openSecret, type SecretPlace, sealSecret } from '@certloop/server';

/** Encrypts secrets before they are stored, and decrypts them. */
export interface Sealing {
  readonly ring: KeyRing;
  /** Whether secrets are stored encrypted; before, processes of an earlier version may have to read them. */
  hasBegun: boolean;
  /** How messages name the settings that the keys come from, if not by their variables. */
  readonly names?: { readonly secret: string; readonly keys: string };
}

// each transaction belongs to one database, whose keys are those of the process that opened it
const sealings = new WeakMap<Tx, Sealing>();

/** The database, whose transactions encrypt and decrypt by `sealing`. */
export function withSealing(db: Database, sealing: Sealing): Database {
  const inside =
    <T>(work: (tx: Tx) => Promise<T>) =>
    (tx: Tx): Promise<T> => {
      sealings.set(tx, sealing);
      return work(tx);
    };
  return {
    ...db,
    transaction: (work) => db.transaction(inside(work)),
    longTransaction: (work) => db.longTransaction(inside(work)),
    read: (work) => db.read(inside(work)),
    longRead: (work) => db.longRead(inside(work)),
  };
}

/** The text to store: encrypted, or undefined as long as secrets are stored in clear. */
export function sealText(tx: Tx, place: SecretPlace, text: string): string | undefined {
  const sealing = sealings.get(tx);
  return sealing?.hasBegun === true ? sealSecret(sealing.ring, place, text) : undefined;
}

/** Throws SecretUnreadable. */
export function openText(tx: Tx, place: SecretPlace, sealed: string): string {
  const sealing = sealings.get(tx);
  if (sealing === undefined) throw new Error('this database was opened without keys');
  return openSecret(sealing.ring, place, sealed);
}

/** Hashes under which a secret may be stored, that of the active key first; none without keys. */
export function hashesOf(tx: Tx, place: Omit<SecretPlace, 'rowId'>, secret: string): readonly string[] {
  const sealing = sealings.get(tx);
  return sealing === undefined ? [] : lookupHashes(sealing.ring, place, secret);
}

declare const storedJson: unique symbol;

/** JSON as a column holds it: encrypted, or in clear until the service has encrypted it. */
export interface StoredJson {
  readonly [storedJson]: true;
}

/** The value as it is stored. */
export function sealJson(tx: Tx, place: SecretPlace, value: object): StoredJson {
  const sealed = sealText(tx, place, JSON.stringify(value));
  return (sealed === undefined ? value : { sealed }) as unknown as StoredJson;
}

/** Throws SecretUnreadable. */
export function openJson(tx: Tx, place: SecretPlace, stored: StoredJson): object {
  const sealed = envelopeOf(stored);
  return sealed === undefined ? stored : (JSON.parse(openText(tx, place, sealed)) as object);
}

/** Returns the encrypted part of a stored value; undefined if it is stored in clear. */
export function envelopeOf(stored: StoredJson): string | undefined {
  const { sealed } = stored as { readonly sealed?: unknown };
  return typeof sealed === 'string' ? sealed : undefined;
}
