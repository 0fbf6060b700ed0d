import type { WatchWord } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findLatestCsr } from '../../csrs/csrs.repository.js';
import { findRefusal } from '../../csrs/issuance-refusals.service.js';
import type { DbDeps } from '../../db-deps.js';
import { type FqdnRow, getFqdn } from '../../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../../fqdns/fqdns.service.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import { readOutlook } from '../outlook/read-outlook.service.js';
import { listProviderQueues, type ProviderQueue } from '../queue/provider-queues.service.js';
import { findLatestRenewal } from '../renewal-history.repository.js';
import type { ListedRenewal } from '../renewal-list.repository.js';
import type { RenewalPlan } from '../renewal-policy.js';
import { findOpenRenewal, findRenewal, type RenewalRow } from '../renewals.repository.js';
import { withObstacle } from '../renewals.service.js';
import { type Explanation, explanationOf } from './explanation.js';

/** When and why an FQDN is renewed, with what that follows from. */
export interface RenewalAccount {
  readonly fqdn: FqdnRow;
  readonly certificate: CertificateRow | undefined;
  readonly provider:
    | {
        readonly id: string;
        readonly name: string;
        readonly enabled: boolean;
        readonly obstacle: string | undefined;
      }
    | undefined;
  readonly plan: RenewalPlan | undefined;
  /** Page on which the CA says why it wants the certificate renewed then. */
  readonly explanationUrl: string | undefined;
  readonly entry: ListedRenewal | undefined;
  readonly failure: { readonly attempt: number; readonly at: Date; readonly reason: string } | undefined;
  readonly explanation: Explanation;
  readonly watched: WatchWord;
}

export interface ExplainRenewalDeps extends DbDeps, DescribeClientDeps {
  readonly opener: ProviderOpener;
  /** Returns what the monitor watches of the FQDN with that newest certificate. */
  readonly watchWordOf: (tx: Tx, fqdn: FqdnRow, newest: CertificateRow | undefined) => Promise<WatchWord>;
}

export interface DescribeClientDeps {
  /** Returns how the ACME clients stand that renew an FQDN, in the words of its status; undefined without any. */
  readonly describeClient: (tx: Tx, fqdnId: string) => Promise<string | undefined>;
}

/** Explains by the rules that the scheduler itself goes by. Throws NotFound. */
export async function explainRenewal(
  { db, clock, opener, watchWordOf, describeClient }: ExplainRenewalDeps,
  caller: Caller,
  { spaceId, fqdnId }: FqdnPlace,
): Promise<RenewalAccount> {
  requireLevel(caller, spaceId, 'READ');
  const now = clock.now();
  return db.read(async (tx) => {
    const fqdn = await getFqdn(tx, spaceId, fqdnId);
    const open = await findOpenRenewal(tx, fqdnId);
    const { certificate, outlook } = await readOutlook(tx, fqdn, { open });
    const failure = await findFailure(tx, fqdnId, open, certificate);
    const queues = await listProviderQueues(tx, opener);
    const provider = providerOf(queues, open?.providerId ?? certificate?.providerId ?? fqdn.providerId);
    const csr = await findLatestCsr(tx, fqdnId);
    const isRenewed = !outlook.isPlanned && outlook.hindrance === 'renewed_by_client';
    const refusal = await findRefusal(tx, { fqdn, csr, provider });
    return {
      fqdn,
      certificate,
      provider,
      plan: outlook.isPlanned ? outlook.plan : undefined,
      explanationUrl: open?.explanationUrl ?? undefined,
      entry: open === undefined ? undefined : withObstacle(open, queues, now),
      failure,
      watched: await watchWordOf(tx, fqdn, certificate),
      explanation: explanationOf({
        forbidden: refusal?.message,
        now,
        outlook,
        open,
        failure,
        obstacle: provider?.obstacle,
        isProviderDisabled: provider?.enabled === false,
        revokedAt: certificate?.revokedAt ?? undefined,
        isImported: certificate !== undefined && certificate.importedAt !== null,
        isAdopted: certificate?.source === 'served',
        isOfClient: certificate !== undefined && certificate.acmeClientId !== null,
        clientText: isRenewed ? await describeClient(tx, fqdnId) : undefined,
      }),
    };
  });
}

function providerOf(queues: readonly ProviderQueue[], id: string | null | undefined) {
  const queue = queues.find(({ provider }) => provider.id === id);
  if (queue === undefined) return undefined;
  const { id: providerId, name, enabled } = queue.provider;
  return { id: providerId, name, enabled, obstacle: queue.obstacle };
}

/** The try before the open entry, or the last one for the newest certificate, when it failed. */
async function findFailure(
  tx: Tx,
  fqdnId: string,
  open: RenewalRow | undefined,
  newest: CertificateRow | undefined,
): Promise<RenewalAccount['failure']> {
  const last = open === undefined ? await findLatestRenewal(tx, fqdnId) : await findTryBefore(tx, open);
  if (last?.status !== 'failed' || last.certificateId !== newest?.id) return undefined;
  const { attempt, finishedAt, reason } = last;
  return { attempt, at: finishedAt ?? last.scheduledAt, reason: reason ?? 'unknown' };
}

async function findTryBefore(tx: Tx, { retryOf }: RenewalRow): Promise<RenewalRow | undefined> {
  return retryOf === null ? undefined : findRenewal(tx, retryOf);
}
