import { createHash } from 'node:crypto';

/** An identifier in normal form. */
export interface OrderIdentifier {
  readonly type: 'dns' | 'ip';
  readonly value: string;
}

/** Facts by which a certificate is the successor of another one. */
export interface LineageFacts {
  readonly clientId: string;
  readonly accountId: string;
  readonly identifiersKey: string;
  /** Kind of the certificate's key, such as `RSA`. */
  readonly keyKind: string;
}

/** SHA-256 over a set of identifiers, whatever their order, hex. */
export function identifiersKeyOf(identifiers: readonly OrderIdentifier[]): string {
  const keys = identifiers.map(({ type, value }) => `${type}:${value}`);
  return sha256([...new Set(keys)].toSorted());
}

/** SHA-256 that names a lineage, hex: client, account, identifiers and kind of key. */
export function lineageOf({ clientId, accountId, identifiersKey, keyKind }: LineageFacts): string {
  return sha256([clientId, accountId, identifiersKey, keyKind]);
}

/** Names and addresses have no line feeds. */
function sha256(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
