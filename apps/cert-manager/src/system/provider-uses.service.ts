import type { Tx } from '@certloop/db';
import { findClientsOfProvider } from '../acme-clients/acme-clients.repository.js';
import { findCertificatesOfProvider } from '../certificates/certificate-lists.repository.js';
import { findFqdnsOfProvider, listFqdnsById } from '../fqdns/fqdns.repository.js';
import { findPoliciesOfProvider } from '../fqdns/policy/space-policies.repository.js';
import { findOpenJobsOfProvider } from '../issuance/jobs/issuance-jobs.repository.js';
import type { ProviderUse } from '../providers/provider-use.js';
import type { ProviderUsers } from '../providers/provider-users.repository.js';
import { findOpenRenewalsOfProvider } from '../renewals/renewals.repository.js';
import { findRevocationsOfProvider } from '../revocations/pending-revocations.repository.js';

type Sort = Pick<ProviderUse, 'one' | 'several' | 'remedy'> & {
  readonly find: (tx: Tx, providerId: string, now: Date) => Promise<ProviderUsers>;
};

const remedy = 'let another provider issue for the others, or wait until their certificates have expired';

/** Everything that keeps a provider from being deleted. */
const sorts: readonly Sort[] = [
  {
    one: 'FQDN that names it',
    several: 'FQDNs that name it',
    remedy: 'delete the FQDNs that name it',
    find: findFqdnsOfProvider,
  },
  {
    one: 'open request',
    several: 'open requests',
    remedy: 'wait until the requests have ended',
    find: findOpenJobsOfProvider,
  },
  {
    one: 'issuance policy',
    several: 'issuance policies',
    remedy: 'take the provider out of the policies',
    find: findPoliciesOfProvider,
  },
  {
    one: 'ACME client that names it',
    several: 'ACME clients that name it',
    remedy: 'choose another provider for the ACME clients',
    find: findClientsOfProvider,
  },
  {
    one: 'pending revocation',
    several: 'pending revocations',
    remedy: 'wait until its CA has settled the revocations',
    find: findRevocationsOfProvider,
  },
  { one: 'pending renewal', several: 'pending renewals', remedy, find: findOpenRenewalsOfProvider },
  { one: 'certificate in use', several: 'certificates in use', remedy, find: findCertificatesOfProvider },
];

/** Returns the uses of the provider, sort by sort. */
export async function listProviderUses(tx: Tx, providerId: string, now: Date): Promise<ProviderUse[]> {
  const uses: ProviderUse[] = [];
  for (const { find, ...sort } of sorts) {
    const { count, fqdnIds, names = [] } = await find(tx, providerId, now);
    const fqdns = fqdnIds.length === 0 ? [] : await listFqdnsById(tx, fqdnIds);
    uses.push({ ...sort, count, names: [...names, ...fqdns.map(({ fqdn }) => fqdn)].sort() });
  }
  return uses;
}
