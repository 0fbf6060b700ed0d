import { findAuditPage } from '../../apps/cert-manager/dist/src/audit/audit-list.repository.js';
import { createAuditCounts } from '../../apps/cert-manager/dist/src/audit/search/audit-counts.store.js';
import { countExpiring } from '../../apps/cert-manager/dist/src/certificates/certificate-lists.repository.js';
import { readFqdnPage } from '../../apps/cert-manager/dist/src/fqdns/fqdns.repository.js';
import { claimRenewals } from '../../apps/cert-manager/dist/src/renewals/queue/due-renewals.repository.js';
import { listSpaceExpiry } from '../../apps/cert-manager/dist/src/system/expiry-scrape.repository.js';
import {
  countRenewals,
  countUnattended,
  readDueRenewals,
} from '../../apps/cert-manager/dist/src/system/scrape.repository.js';
import { countDetails } from '../../apps/cert-manager/dist/src/system/stats.repository.js';
import { claimWatched } from '../../apps/cert-manager/dist/src/watch/watched-fqdns.repository.js';
import { withManager } from '../cert-manager/manager-place.mjs';
import { settle } from '../databases.mjs';
import { copyId } from '../multiply.mjs';
import { seedManager } from './scale-manager-seed.mjs';
import { ofStatements } from './statements.mjs';
import { tableSizes } from './table-sizes.mjs';

const tables = ['fqdns', 'csrs', 'certificates', 'renewal_queue', 'watched_fqdns', 'audit_logs'];

/** Sizes and statements of a manager with `count` certificates. */
export function measureManager(database, count) {
  return withManager(database, async (place) => {
    const { spaceId } = await seedManager(place, count);
    await settle(place);
    const rows = await tableSizes(place, tables);
    for (const statement of statements(place, spaceId)) rows.push(await ofStatements(place, statement));
    return rows;
  });
}

const everything = { spaces: 'all', withUnplaced: true };
const firstPage = { order: 'desc', limit: 50, offset: 0 };
const day = 86_400_000;

function statements({ database, providerId }, spaceId) {
  const now = new Date();
  const later = new Date(now.getTime() + 60_000);
  const newCounts = () => createAuditCounts(database.dialect);
  // on PostgreSQL counts are trusted that are a minute old
  let nowMs = 0;
  const counts = createAuditCounts(database.dialect, () => nowMs);
  const page = async (tx, counts, filter) => {
    nowMs += 100_000;
    await findAuditPage(tx, counts, everything, { filter, window: firstPage });
  };
  return [
    { what: 'list of the 500 FQDNs of a space', work: (tx) => readFqdnPage(tx, spaceId, {}) },
    { what: 'audit page, the first of a process, with its total', work: (tx) => page(tx, newCounts(), {}) },
    { what: 'audit page, later ones', work: (tx) => page(tx, counts, {}) },
    {
      what: 'audit page of a space',
      work: (tx) => page(tx, newCounts(), { spaceId: copyId('00000002', 7) }),
    },
    {
      what: 'renewals that are due, 100 claimed',
      prepare: (tx) =>
        tx.query(`update renewal_queue set scheduled_at = created_at where id in (
          select id from renewal_queue where status = 'pending' order by scheduled_at desc limit 100)`),
      work: (tx) => claimRenewals(tx, { providerId, now, owner: 'bench', leaseUntil: later, limit: 100 }),
    },
    {
      what: 'watched FQDNs that are due',
      work: (tx) => claimWatched(tx, { now, token: copyId('00000003', 1), until: later, limit: 20 }),
    },
    {
      what: 'what each run of the queue reports of certificates',
      work: (tx) => countExpiring(tx, now, new Date(now.getTime() + 30 * day)),
    },
    {
      what: 'scrape: the queue',
      work: async (tx) => {
        await countRenewals(tx);
        await readDueRenewals(tx, now);
      },
    },
    { what: 'scrape: expiry by space', work: (tx) => listSpaceExpiry(tx, now) },
    { what: 'scrape: unattended', work: (tx) => countUnattended(tx, now) },
    { what: 'GET /stats?detail=true', work: (tx) => countDetails(tx, 'all', now) },
  ];
}
