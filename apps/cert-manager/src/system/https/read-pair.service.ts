import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { InvalidInput } from '@certloop/contracts';
import { certificateLabel, parsePemBlocks } from '@certloop/crypto';
import type { TlsPair } from '@certloop/server';

/** A key and a certificate that belong together, with the time for which the certificate is valid. */
export interface ReadPair extends TlsPair {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Where the key and the certificate for https come from. */
export interface PairSource {
  /** Returns the first pair, or undefined if there is none yet. Throws StartFailed if there will be none. */
  first(): Promise<ReadPair | undefined>;
  /** Returns a pair that replaces the one in use, or undefined if there is none. */
  next(inUse: ReadPair | undefined): Promise<ReadPair | undefined>;
}

/** Why the text of a file cannot be used. */
export interface PairFault {
  readonly part: 'cert' | 'key';
  readonly reason: string;
}

/** Returns the pair as a server can use it, or why it cannot. */
export function readPair({ cert, key }: TlsPair): ReadPair | PairFault {
  const leaf = leafOf(cert);
  if ('reason' in leaf) return leaf;
  const privateKey = privateKeyOf(key);
  if ('reason' in privateKey) return privateKey;
  if (!leaf.checkPrivateKey(privateKey))
    return { part: 'key', reason: 'the key is not that of the certificate' };
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    return { part: 'cert', reason: (error as Error).message };
  }
  return { cert, key, notBefore: new Date(leaf.validFrom), notAfter: new Date(leaf.validTo) };
}

/** The first certificate of the text, whose others are readable too. */
function leafOf(text: string): X509Certificate | PairFault {
  try {
    const blocks = parsePemBlocks(text).filter(({ label }) => label === certificateLabel);
    const [leaf] = blocks.map(({ der }) => new X509Certificate(der));
    return leaf ?? { part: 'cert', reason: 'it contains no certificate' };
  } catch (error) {
    const reason = error instanceof InvalidInput ? error.message : 'it contains a damaged certificate';
    return { part: 'cert', reason };
  }
}

function privateKeyOf(text: string): KeyObject | PairFault {
  try {
    return createPrivateKey(text);
  } catch {
    return { part: 'key', reason: 'it contains no private key that can be read without a passphrase' };
  }
}
