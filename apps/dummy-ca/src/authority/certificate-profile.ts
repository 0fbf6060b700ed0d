/**
 * Parts that the certificates of a profile lack: the common name, the subject key identifier, keyEncipherment of RSA
 * keys, and `server-only`: the purpose of TLS clients.
 */
export const profileOptions = ['no-cn', 'no-ski', 'no-key-encipherment', 'server-only'] as const;
export type ProfileOption = (typeof profileOptions)[number];

/** A kind of certificate that an order (draft-ietf-acme-profiles) or a call of `POST /csr` may ask for. */
export interface CertificateProfile {
  readonly name: string;
  readonly validitySeconds: number;
  /** Seconds from now to notBefore, negative for the past; undefined for the usual moment. */
  readonly notBeforeOffsetSeconds?: number | undefined;
  readonly options?: readonly ProfileOption[];
}

/** Content of a certificate in addition to validity, key and names. */
export interface ProfileContent {
  readonly hasCommonName: boolean;
  readonly extendedKeyUsage: readonly string[];
  readonly without: readonly ('subjectKeyIdentifier' | 'keyEncipherment')[];
}

/** Returns what the certificates of the profile are made of. */
export function profileContent({ options = [] }: CertificateProfile): ProfileContent {
  const has = (option: ProfileOption) => options.includes(option);
  return {
    hasCommonName: !has('no-cn'),
    extendedKeyUsage: has('server-only') ? ['serverAuth'] : ['serverAuth', 'clientAuth'],
    without: [
      ...(has('no-ski') ? (['subjectKeyIdentifier'] as const) : []),
      ...(has('no-key-encipherment') ? (['keyEncipherment'] as const) : []),
    ],
  };
}
