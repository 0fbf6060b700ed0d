import { AppError } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { type CsrRow, findLatestCsr } from '../../csrs/csrs.repository.js';
import { type FqdnRow, getFqdn } from '../../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../../fqdns/fqdns.service.js';
import { orderSubject } from '../../judging/csr-rules.js';
import { challengeTermsOf } from '../../providers/acme/challenge-terms.js';
import { findOrderProvider, findProvider, type ProviderRow } from '../../providers/providers.repository.js';
import { findOpenJob } from '../jobs/issuance-jobs.repository.js';
import type { IssuanceRow } from '../signing/issuances.repository.js';
import { type SetupWork, setupWork } from './challenge-setup.js';
import type { OwnAddress } from './web-server-lines.js';

export interface ChallengeSetupDeps {
  readonly db: Database;
  readonly own: OwnAddress;
  /** Further port that answers challenges and nothing else. */
  readonly challengePort: number | undefined;
}

/** Needs of the names of an FQDN before a CA can validate them, and the proofs that wait to be published. */
export interface FqdnSetup {
  readonly fqdn: FqdnRow;
  readonly provider: ProviderRow | undefined;
  readonly names: readonly string[];
  readonly work: SetupWork;
  readonly job: IssuanceRow | undefined;
}

/** Throws NotFound also when the caller may not see the space. */
export async function showChallengeSetup(
  { db, own, challengePort }: ChallengeSetupDeps,
  caller: Caller,
  { spaceId, fqdnId }: FqdnPlace,
): Promise<FqdnSetup> {
  requireLevel(caller, spaceId, 'READ');
  return db.read(async (tx) => {
    const fqdn = await getFqdn(tx, spaceId, fqdnId);
    const provider = await findRequestProvider(tx, fqdn);
    const { identifiers, fault } = namesToProve(fqdn, await findLatestCsr(tx, fqdnId));
    const work =
      provider === undefined
        ? { message: 'nothing to set up yet: there is no provider; create one first' }
        : setupWork({
            terms: challengeTermsOf(provider),
            providerName: provider.name,
            identifiers,
            own,
            challengePort,
          });
    return {
      fqdn,
      provider,
      names: identifiers.map(({ value }) => value),
      work: fault !== undefined && work.type !== undefined ? { ...work, obstacle: fault } : work,
      job: await findOpenJob(tx, fqdnId),
    };
  });
}

/** The provider that the FQDN names, or the one that requests for it go to. */
async function findRequestProvider(tx: Tx, { providerId }: FqdnRow): Promise<ProviderRow | undefined> {
  return providerId === null ? findOrderProvider(tx) : findProvider(tx, providerId);
}

/** Names of the newest CSR; the FQDN alone without one, or with one that no ACME CA takes. */
function namesToProve({ fqdn }: FqdnRow, csr: CsrRow | undefined) {
  const alone = [{ type: 'dns', value: fqdn }];
  if (csr === undefined) return { identifiers: alone };
  try {
    return { identifiers: orderSubject(csr.csrPem).identifiers };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { identifiers: alone, fault: error.message };
  }
}
