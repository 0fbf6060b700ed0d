// A manager's database as it is at a million certificates: 500,000 FQDNs in 1,000 spaces, each with a CSR and renewed
// once, so that of its two certificates the older one is replaced; an audit log of as many entries as certificates.
import { certificates } from '../../apps/cert-manager/dist/src/certificates/certificates.repository.js';
import { csrs } from '../../apps/cert-manager/dist/src/csrs/csrs.repository.js';
import { fqdns } from '../../apps/cert-manager/dist/src/fqdns/fqdns.repository.js';
import { renewalQueue } from '../../apps/cert-manager/dist/src/renewals/renewals.repository.js';
import { spaces } from '../../apps/cert-manager/dist/src/spaces/spaces.repository.js';
import { recountSpaces, seedAudit, seedCertificates } from '../cert-manager/manager-seed.mjs';
import { copyRows, unchecked } from './copies.mjs';

const kind = '0000003a';
const older = '0000003b';
const spaceCount = 1_000;
const day = 86_400;

/** Stops the manager, puts `count` certificates of 90 days there, half of them replaced, and returns a space's id. */
export async function seedManager(place, count) {
  const { spaceId } = await seedCertificates(place, { kind, count: 1 });
  await seedAudit(place, { count, spaceId });
  await place.manager.stop();
  const [{ id: firstId }] = await place.database.read((tx) => tx.query('select id from fqdns'));
  const copies = count / 2;
  await seedNames(place, { spaceId, firstId, copies });
  await recountSpaces(place.database);
  const of = { where: `t.fqdn_id = '${firstId}'`, count: copies };
  // renewed at two thirds of its time, at a moment of the last 60 days
  const now = Math.floor(Date.now() / 1000);
  const renewedAt = (i) => `(${now} - (${i} * 7919 % ${60 * day}))`;
  await seedOwnCertificates(place, of, renewedAt);
  await seedQueue(place, of, renewedAt);
  await unchecked(
    place.database,
    `insert into watched_fqdns (id, space_id, version, check_uuid, pinged_at, told_deadline, told_from, told_at, due_at, attempts)
     select fqdn_id, space_id, 1, fqdn_id, created_at, scheduled_at, created_at, created_at, scheduled_at, 0
     from renewal_queue where status = 'pending' and fqdn_id <> '${firstId}'`,
  );
  return { spaceId: `${kind}-0000-7000-8000-000000000001` };
}

/** What of a copied row is its FQDN's own. */
const own = (rest) => (words) => ({
  id: words.uuid(kind, words.i),
  fqdnId: words.uuid(kind, words.i),
  ...rest(words),
});

async function seedNames(place, { spaceId, firstId, copies }) {
  await copyRows(place, spaces, {
    where: `t.id = '${spaceId}'`,
    count: spaceCount,
    change: ({ uuid, i }) => ({ id: uuid(kind, i), name: `'Space ' || ${i}` }),
  });
  await copyRows(place, fqdns, {
    where: `t.id = '${firstId}'`,
    count: copies,
    change: ({ uuid, i }) => ({
      id: uuid(kind, i),
      spaceId: uuid(kind, `1 + ${i} % ${spaceCount}`),
      fqdn: `'host-' || ${i} || '.example.test'`,
    }),
  });
}

/** A CSR of each FQDN, the certificate that was renewed, and the newer one. */
async function seedOwnCertificates(place, of, renewedAt) {
  await copyRows(place, csrs, { ...of, change: own(() => ({})) });
  const made = ({ uuid, instant, i }, seconds) => ({
    csrId: uuid(kind, i),
    upstreamId: `'upstream-' || ${seconds} || '-' || ${i}`,
    createdAt: instant(seconds),
    notBefore: instant(seconds),
    expiresAt: instant(`${seconds} + ${90 * day}`),
  });
  await copyRows(place, certificates, {
    ...of,
    change: own((words) => ({
      ...made(words, `(${renewedAt(words.i)} - ${60 * day})`),
      id: words.uuid(older, words.i),
      // the same one as the newer
      leafSha256: 'null',
      replacedAt: words.instant(renewedAt(words.i)),
    })),
  });
  await copyRows(place, certificates, {
    ...of,
    change: own((words) => ({ ...made(words, renewedAt(words.i)), position: '2' })),
  });
}

/** The renewal that was, and the one to come. */
async function seedQueue(place, of, renewedAt) {
  const entry = (rest) =>
    own((words) => ({ spaceId: words.uuid(kind, `1 + ${words.i} % ${spaceCount}`), ...rest(words) }));
  await copyRows(place, renewalQueue, {
    ...of,
    change: entry(({ uuid, instant, i }) => ({
      id: uuid(older, i),
      certificateId: uuid(older, i),
      status: "'completed'",
      scheduledAt: instant(renewedAt(i)),
      createdAt: instant(`${renewedAt(i)} - ${60 * day}`),
      finishedAt: instant(renewedAt(i)),
      attempt: '1',
    })),
  });
  await copyRows(place, renewalQueue, {
    where: `${of.where} and t.status = 'pending'`,
    count: of.count,
    change: entry(({ uuid, instant, i }) => ({
      certificateId: uuid(kind, i),
      scheduledAt: instant(`${renewedAt(i)} + ${60 * day} + 60`),
      createdAt: instant(renewedAt(i)),
    })),
  });
}
