import { randomUUID } from 'node:crypto';
import { type AcmeCsr, badCsr, parseAcmeCsr, renewalIdOf } from '@certloop/acme-server/rules';
import { AcmeProblem, AppError, acmeProblemDocument } from '@certloop/contracts';
import {
  certificateLabel,
  encodeName,
  formatPem,
  parseCertificate,
  spkiSha256,
  verifyCsr,
} from '@certloop/crypto';
import { profileContent } from '../../authority/certificate-profile.js';
import { lintFault } from '../../signing/csr-lint.js';
import type { AcmeDeps } from '../acme-deps.service.js';
import { processingUntil } from '../faults/slow-processing.service.js';
import { acmeValidity, chooseProfile } from '../issuance/acme-profile.js';
import type { Account, AcmeCertificate, Order } from '../records/records.js';
import { statusNow } from './place-order.service.js';

/** The CSR of a finalize request. Throws `badCSR` (RFC 8555 §7.4). */
export async function requireAcceptedCsr(
  deps: AcmeDeps,
  text: string,
  order: Order,
  account: Account,
): Promise<AcmeCsr> {
  const asked = parseAcmeCsr(text, order.identifiers, account.key);
  const fault = deps.lint && lintFault(asked.csr, deps.lint);
  if (fault !== undefined) throw badCsr(`the CSR is refused: ${fault}`);
  const verification = await verifyCsr(asked.csr);
  if (deps.settings.blockCompromisedKeys && deps.store.isCompromised(spkiSha256(asked.csr.spkiDer))) {
    throw badCsr('the key of the CSR was reported as compromised; make a new key');
  }
  if (!verification.ok) throw badCsr(`the signature of the CSR is not accepted: ${verification.reason}`);
  return asked;
}

/** The order with its certificate or the reason why it has none; undefined if it is not ready any more. */
export async function issueOrder(deps: AcmeDeps, order: Order, asked: AcmeCsr): Promise<Order | undefined> {
  // The signature was checked in another thread: a second request may have come first.
  if (statusNow(deps, order) !== 'ready') return undefined;
  order.finalizedAt = deps.clock.now();
  await issueFor(deps, order, asked);
  // noted again: another answer may have written it while the certificate was being signed
  deps.store.findOrder(order.id);
  return order;
}

async function issueFor(deps: AcmeDeps, order: Order, asked: AcmeCsr): Promise<void> {
  try {
    const certificate = recordOf(order, await issue(deps, order, asked));
    storeIssued(deps, certificate, order.finalizedAt ?? deps.clock.now());
    deps.counts.countIssued({ way: 'acme', key: asked.csr.publicKey.kind });
    deps.counts.countOrder({ outcome: 'issued' });
    order.certificateId = certificate.id;
    order.availableAt = processingUntil(deps, 'finalize') ?? order.finalizedAt;
  } catch (error) {
    if (!(error instanceof AppError)) deps.logger.error({ error }, 'issuance.unexpected_error');
    deps.counts.countOrder({ outcome: 'failed' });
    order.problem = acmeProblemDocument(new AcmeProblem('serverInternal', 'the certificate was not issued'));
  }
}

/** Stores the certificate for its account, and, like all others, for requests by its id. */
function storeIssued(deps: AcmeDeps, certificate: AcmeCertificate, createdAt: Date): void {
  const { id, leafPem: certificatePem, serialNumber, notAfter } = certificate;
  deps.store.insertCertificate(certificate);
  deps.certificates.insert({
    id,
    certificatePem,
    createdAt,
    serialNumber,
    issuer: deps.issuer.name,
    notAfter,
  });
}

function issue({ issuer, settings, clock }: AcmeDeps, order: Order, asked: AcmeCsr): Promise<Buffer> {
  const profile = chooseProfile(settings.profiles, order.profile);
  const namesOf = (type: 'dns' | 'ip') =>
    order.identifiers.filter((each) => each.type === type).map(({ value }) => value);
  const { hasCommonName, ...content } = profileContent(profile);
  const commonName = hasCommonName ? asked.commonName : undefined;
  return issuer.issue({
    ...content,
    subjectDer: encodeName(commonName === undefined ? {} : { commonName }),
    spkiDer: asked.csr.spkiDer,
    ...acmeValidity(profile, order, clock.now(), issuer.certificate, settings.backdateSeconds),
    subjectAltNames: { dnsNames: namesOf('dns'), ipAddresses: namesOf('ip') },
    extensions: asked.extensions.map((extension) => ({ ...extension, critical: false })),
  });
}

function recordOf({ accountId, identifiers }: Order, der: Buffer): AcmeCertificate {
  const certificate = parseCertificate(der);
  return {
    id: randomUUID(),
    accountId,
    leafPem: formatPem(certificateLabel, der),
    der,
    identifiers,
    serialNumber: certificate.serialNumber,
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    renewalId: renewalIdOf(certificate),
    replacedBy: undefined,
    renewalWindow: undefined,
  };
}
