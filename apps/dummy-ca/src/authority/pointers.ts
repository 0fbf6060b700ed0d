import type { CaIssuerName } from '@certloop/contracts';
import { type Extension, encodePointers } from '@certloop/crypto';

/** Addresses that certificates may carry: of the revocation list, the OCSP responder, the issuer's certificate. */
export const pointerKinds = ['crl', 'ocsp', 'issuer'] as const;
export type PointerKind = (typeof pointerKinds)[number];

export interface PointerSettings {
  /** Base address under which verifiers reach the service; without it certificates carry no addresses. */
  readonly publicUrl: string | undefined;
  readonly pointers: readonly PointerKind[];
}

/** Extensions of every certificate that the issuer of that name signs. */
export function pointersOf({ publicUrl, pointers }: PointerSettings, name: CaIssuerName): Extension[] {
  if (publicUrl === undefined) return [];
  const paths = { crl: `/crls/${name}`, ocsp: '/ocsp', issuer: `/issuers/${name}` };
  const chosen = pointers.map((kind) => [kind, `${publicUrl}${paths[kind]}`]);
  return encodePointers(Object.fromEntries(chosen));
}
