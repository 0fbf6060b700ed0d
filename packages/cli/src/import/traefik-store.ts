import { z } from 'zod';

/** A certificate in Traefik's storage, whose octets are PEM. */
export interface TraefikCertificate {
  /** Name of the resolver. */
  readonly resolver: string;
  readonly names: readonly string[];
  readonly certificate: Buffer;
  /** Only if it was asked for. */
  readonly key?: Buffer;
}

const base64 = z.base64();

const entrySchema = z.object({
  domain: z.object({ main: z.string(), sans: z.array(z.string()).nullish() }),
  certificate: base64,
  key: base64.optional(),
});

// `Certificates` is null while a resolver has none
const storeSchema = z.record(z.string(), z.object({ Certificates: z.array(z.unknown()).nullish() }));

/** Contents of Traefik's storage: its certificates, and the places of those that are damaged. */
export interface TraefikStore {
  readonly certificates: readonly TraefikCertificate[];
  /** Such as `the certificate 2 of the resolver default`. */
  readonly damaged: readonly string[];
}

/**
 * The certificates of the file that Traefik 2 and 3 write, of all resolvers. Accounts are dropped while the file is parsed,
 * and keys as well unless `withKeys`. Returns a sentence for a file that is something else; it has no text of the file.
 */
export function parseTraefikStore(
  bytes: Buffer,
  { withKeys }: { readonly withKeys: boolean },
): TraefikStore | string {
  const isDropped = (name: string) => name === 'Account' || (name === 'key' && !withKeys);
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString(), (name, value) => (isDropped(name) ? undefined : value));
  } catch {
    // the message of the parser repeats a part of the text, which may be a key
    return bytes.length === 0 ? 'it is empty' : 'it is damaged: it is not JSON, or a part of it is missing';
  }
  const store = storeSchema.safeParse(content);
  if (!store.success) return 'it is not a storage of certificates of Traefik 2 or 3 (acme.json)';
  const certificates: TraefikCertificate[] = [];
  const damaged: string[] = [];
  for (const [resolver, { Certificates }] of Object.entries(store.data)) {
    for (const [index, entry] of (Certificates ?? []).entries()) {
      const read = entrySchema.safeParse(entry);
      if (read.success) certificates.push(certificateOf(resolver, read.data));
      else damaged.push(`the certificate ${index + 1} of the resolver ${resolver}`);
    }
  }
  return { certificates, damaged };
}

function certificateOf(resolver: string, { domain, certificate, key }: z.output<typeof entrySchema>) {
  return {
    resolver,
    names: [domain.main],
    certificate: Buffer.from(certificate, 'base64'),
    ...(key !== undefined && { key: Buffer.from(key, 'base64') }),
  };
}
