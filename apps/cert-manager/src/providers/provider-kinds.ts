import { type ProviderKindName, providerKindNames } from '@certloop/contracts';
import { acme } from './acme/acme-kind.js';
import { dummyCa } from './dummy-ca/dummy-ca-kind.js';
import type { ProviderKind } from './provider-kind.js';

export const providerKinds: Readonly<Record<ProviderKindName, ProviderKind>> = {
  'dummy-ca': dummyCa,
  acme,
};

/** The kind of a provider: what it can do is asked here, never by its name. */
export function kindOf({ kind, name }: KindNames): ProviderKind {
  const kindName = kind ?? providerKindNames.find((known) => known === name);
  if (kindName === undefined) throw new Error(`the provider ${name} has no kind`);
  return providerKinds[kindName];
}

/** A provider by its names; the first of each kind, which the service makes, is named after its kind. */
interface KindNames {
  readonly kind: ProviderKindName | null;
  readonly name: string;
}
