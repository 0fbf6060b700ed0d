import type { OrderIdentifier } from './lineage.js';

/** An FQDN of the space. */
export interface KnownFqdn {
  readonly id: string;
  readonly fqdn: string;
  /** Whether a person or a token has a CSR or a certificate below it. */
  readonly isHeldByPeople: boolean;
}

export interface OrderedNames {
  /** In normal form, in the order as sent. */
  readonly identifiers: readonly OrderIdentifier[];
  /** The FQDN of the newest certificate that this account has for the same identifiers. */
  readonly former: KnownFqdn | undefined;
  /** FQDNs of the space that are among the identifiers, by their names. */
  readonly known: ReadonlyMap<string, KnownFqdn>;
  readonly client: { readonly createFqdns: boolean; readonly mayTakeOver: boolean };
}

/** The FQDN of an order, or the name that the client may not have. */
export type OrderFqdn =
  | { readonly kind: 'existing'; readonly fqdn: KnownFqdn }
  | { readonly kind: 'new'; readonly name: string }
  | { readonly kind: 'refused'; readonly name: string };

/**
 * The FQDN below which the certificate of an order is stored: that of the certificate before, else the first identifier
 * that is an FQDN of the space, else the first name, as a new FQDN. One that people work on is refused unless the client may
 * take it over. An order has a DNS name.
 */
export function chooseFqdn({ identifiers, former, known, client }: OrderedNames): OrderFqdn {
  if (former !== undefined) return { kind: 'existing', fqdn: former };
  const names = identifiers.flatMap(({ type, value }) => (type === 'dns' ? [value] : []));
  const [existing] = names.flatMap((name) => known.get(name) ?? []);
  if (existing === undefined) {
    const [name = ''] = names;
    return { kind: client.createFqdns ? 'new' : 'refused', name };
  }
  if (existing.isHeldByPeople && !client.mayTakeOver) return { kind: 'refused', name: existing.fqdn };
  return { kind: 'existing', fqdn: existing };
}
