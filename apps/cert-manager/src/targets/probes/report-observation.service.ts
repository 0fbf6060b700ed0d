import type { BodyOf, certManagerContract } from '@certloop/contracts';
import { certificateLabel, parsePemBlocks } from '@certloop/crypto';
import { type AddressObservation, readSent } from '@certloop/tls-probe/rules';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import { getFqdn, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { readAddress, refusalOfField } from '../target-input.js';
import { getTarget } from '../targets.repository.js';
import { auditOf, type TargetPath } from '../targets.service.js';
import type { ProbeDeps } from './run-probes.service.js';
import { settleObserved } from './settle-observed.service.js';
import { listStates } from './target-states.repository.js';

/** Observation of an address of a target by an observer other than cert-manager. */
export type Report = BodyOf<typeof certManagerContract.reportObservation>;

const maxCertificates = 10;
const maxAddresses = 64;
const maxAheadMs = 300_000;

/**
 * Stores a report; one that is older than what is stored changes nothing. Throws NotFound, and InvalidInput for what is
 * neither a chain of 1 to 10 certificates nor a failure, an address in an odd spelling or beyond 64, a moment of the
 * future.
 */
export async function reportObservation(
  deps: Pick<ProbeDeps, 'db' | 'clock' | 'emit' | 'onInService'>,
  caller: Caller,
  { spaceId, fqdnId, targetId }: TargetPath,
  report: Report,
): Promise<void> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  const { db, clock } = deps;
  await db.read(async (tx) => {
    await getFqdn(tx, spaceId, fqdnId);
    await getTarget(tx, fqdnId, targetId);
  });
  const one = readReport(report);
  const observedAt = new Date(report.observedAt);
  const now = clock.now();
  if (observedAt.getTime() > now.getTime() + maxAheadMs)
    throw refusalOfField(
      'in_the_future',
      'observedAt',
      `is later than ${now.toISOString()}. Set the clock of the reporter.`,
    );
  const seconds = await db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const target = await getTarget(tx, fqdnId, targetId);
    const states = await listStates(tx, [target]);
    const isNew = states.every(({ address }) => address !== (one.address ?? ''));
    if (isNew && states.length >= maxAddresses)
      throw refusalOfField(
        'too_many_addresses',
        'address',
        `this target has ${maxAddresses} addresses. Add another target.`,
      );
    const settled = await settleObserved(tx, deps.emit, {
      target,
      found: [one],
      isWhole: false,
      observer: 'report',
      observedAt,
      adopter: { fqdn, caller, now },
    });
    if (settled.hasChanged) await recordAudit(tx, caller, auditOf('target.report', fqdn, target), now);
    return settled.inServiceSeconds;
  });
  if (seconds !== undefined) deps.onInService(seconds);
}

function readReport({ address: text, chainPem, failure }: Report): AddressObservation {
  const address = text === undefined ? undefined : readAddress(text, 'address');
  if ((chainPem === undefined) === (failure === undefined))
    throw refusalOfField(
      'chain_or_failure',
      'chainPem',
      'send what was served as chainPem, or the failure; one of both.',
    );
  if (failure !== undefined) return { address, observation: { stage: failure.stage, fault: failure.fault } };
  if (address === undefined)
    throw refusalOfField('address_missing', 'address', 'send the address that served the chain.');
  return { address, observation: { served: [readSent(readChain(chainPem ?? ''))] } };
}

function readChain(pem: string): Buffer[] {
  const blocks = parsePemBlocks(pem);
  const ders = blocks.flatMap(({ label, der }) => (label === certificateLabel ? [der] : []));
  if (ders.length >= 1 && ders.length <= maxCertificates && ders.length === blocks.length) return ders;
  throw refusalOfField(
    'invalid_chain',
    'chainPem',
    `must be 1 to ${maxCertificates} certificates in PEM, leaf first, and nothing else.`,
  );
}
