import type { Fqdn, Provider } from '@certloop/contracts';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { fqdns } from '../../src/fqdns/fqdns.repository.js';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { providers } from '../../src/providers/providers.repository.js';
import { renewalQueue } from '../../src/renewals/renewals.repository.js';
import { storePendingRevocation } from '../../src/revocations/pending-revocations.repository.js';
import type { TestApp } from './app.js';

/** Stores a pending revocation of the provider's certificate, as after a CA that does not respond; returns its id. */
export async function addPendingRevocation(
  app: TestApp,
  { id: fqdnId, spaceId, fqdn }: Fqdn,
  { id: providerId }: Provider,
): Promise<string> {
  const [row] = await app.database.read((tx) => tx.find(certificates, { where: { fqdnId, providerId } }));
  if (row === undefined) throw new Error('there is no certificate');
  const { id, pem, serialNumber, spkiSha256, expiresAt } = row;
  const { id: userId, username } = app.people.ada;
  const caller = { kind: 'user', userId, username, requestId: 'r', ipAddress: '', userAgent: '' } as const;
  const now = app.clock.now();
  await app.database.transaction((tx) =>
    storePendingRevocation(tx, {
      id,
      fqdnId,
      spaceId,
      fqdn,
      providerId,
      pem,
      serialNumber,
      spkiSha256,
      expiresAt,
      caller,
      reason: 'keyCompromise',
      askedAt: now,
      attempts: 1,
      dueAt: new Date(now.getTime() + 86_400_000),
    }),
  );
  return id;
}

/** Open work and rows that name a provider that does not exist. */
export async function danglingReferences(app: TestApp): Promise<string[]> {
  return app.database.read(async (tx) => {
    const there = new Set((await tx.find(providers)).map(({ id }) => id));
    const named = [
      ...(await tx.find(fqdns)).map(({ providerId }) => providerId),
      ...(await tx.find(certificates)).map(({ providerId }) => providerId),
      ...(await tx.find(issuances)).flatMap((job) => (job.finishedAt === null ? [job.providerId] : [])),
      ...(await tx.find(renewalQueue)).flatMap((entry) =>
        entry.finishedAt === null ? [entry.providerId] : [],
      ),
    ];
    return named.filter((id): id is string => id !== null && !there.has(id));
  });
}
