import { readableText } from '../../providers/provider.js';
import { renewalStoppedText } from '../../statuses/fqdn-status.js';

/** A certificate as a ping describes it. */
export interface PingedCertificate {
  readonly serialNumber: string;
  readonly issuer: string;
  readonly expiresAt: Date;
  /**
   * When it will be renewed; `never` with renewal off, `elsewhere` if it is adopted from a server, the ACME client that renews
   * it, else why it will not be.
   */
  readonly renewAt: Date | 'never' | 'elsewhere' | { readonly client: string } | { readonly hint: string };
}

/** One line, shorter than any monitor keeps of a body. */
const bounded = (text: string) => readableText(text, 1000);

/** A certificate was issued, renewed, imported or adopted, or was there when its watch began. */
export function storedText(
  event: 'issued' | 'renewed' | 'imported' | 'adopted' | 'watched',
  certificate: PingedCertificate,
): string {
  const { serialNumber, issuer, expiresAt, renewAt } = certificate;
  const facts = `${event}: serial ${serialNumber}, issuer ${issuer}`;
  if (renewAt === 'never') return bounded(`${facts}; ${expiryText(expiresAt)}`);
  const until = `${facts}, valid until ${expiresAt.toISOString()}`;
  if (renewAt === 'elsewhere') return bounded(`${until}; ${adoptedNext}`);
  if ('client' in renewAt) return bounded(`${until}; ${renewAt.client}`);
  const next = 'hint' in renewAt ? `. ${renewAt.hint}` : `; to be renewed on ${renewAt.toISOString()}`;
  return bounded(`${until}${next}`);
}

/** Nothing will replace the certificate. */
export function expiryText(expiresAt: Date, isOver = false): string {
  const remedies = 'upload a CSR and have it signed, request a certificate, switch renewal on, or accept it';
  return `${endText(expiresAt, isOver)}, no one renews it: ${remedies}`;
}

const adoptedNext = 'it is renewed elsewhere, and what its server presents next is adopted';

/** The certificate was adopted from a server, and no newer one has followed. */
export function elsewhereText(expiresAt: Date, isOver = false): string {
  return `${endText(expiresAt, isOver)}; ${renewalStoppedText}`;
}

/** Renewal is on, and has not happened in time. */
export function overdueText(expiresAt: Date, isOver: boolean, hint: string): string {
  return bounded(`${endText(expiresAt, isOver)}. ${hint}`);
}

const endText = (expiresAt: Date, isOver: boolean) =>
  `${isOver ? 'expired' : 'expires'} on ${expiresAt.toISOString()}`;

/** Returns the text of a ping about what an ACME client has missed. */
export const clientNewsText = (news: string): string => bounded(news);

/** There is no certificate, and nothing else is wrong. */
export const unfinishedText = 'there is no certificate yet, and nothing else is wrong';

/** A renewal failed; `attempt` counts its tries from 1. */
export function failedText({
  attempt,
  reason,
}: {
  readonly attempt: number;
  readonly reason: string;
}): string {
  return bounded(`renewal failed (try ${attempt}): ${reason}`);
}

/** The newest certificate was revoked; `isPlanned` when a new one is ordered without anyone's doing. */
export function revokedText({
  serialNumber,
  revocationReason,
  isPlanned,
}: {
  readonly serialNumber: string;
  readonly revocationReason: string | null;
  readonly isPlanned: boolean;
}): string {
  const next = isPlanned
    ? 'a new one is ordered at once'
    : 'no one orders a new one: see the explanation of its renewal';
  return bounded(`revoked (${revocationReason ?? 'unspecified'}): serial ${serialNumber}; ${next}`);
}

/** The policy of the space forbids the next renewal. */
export function forbiddenText(reason: string): string {
  return bounded(`the next renewal is forbidden by ${reason}`);
}

/** Returns the text of a ping about what the targets of an FQDN serve. */
export const servedText = (fault: string): string => bounded(fault);
export const servedAgainText = 'all targets serve what they should again';

/** The policy of the space was changed, or what it refused. */
export const allowedText = 'the issuance policy of the space allows renewals again';

/** Someone asked for a certificate and did not get it. */
export function refusedText(reason: string): string {
  return bounded(`request failed: ${reason}`);
}

const lateAfterMs = 60_000;

/** The text of a ping that is sent `now`; a late one says of when it is. */
export function sentText({ body, createdAt }: { body: string; createdAt: Date }, now: Date): string {
  const isLate = now.getTime() - createdAt.getTime() > lateAfterMs;
  return isLate ? `${body} (of ${createdAt.toISOString()}, sent late)` : body;
}
