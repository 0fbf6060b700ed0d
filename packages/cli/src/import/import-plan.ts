import type { FqdnStatus, ReviewedName } from '@certloop/contracts';
import type { FoundCertificate } from './found-certificate.js';

/** Actions of an import on a certificate: `there` if the FQDN has it already. */
export type ImportAction = 'create' | 'import' | 'there' | 'skip' | 'fail';

export interface ImportPlan {
  readonly action: ImportAction;
  /** Why it is skipped or fails. */
  readonly reason?: string;
  /** Of an FQDN that exists. */
  readonly fqdnId?: string;
}

/** The verdict of cert-manager on the name of a certificate. */
export interface NameThere {
  readonly review: Pick<ReviewedName, 'verdict' | 'fqdnId' | 'message'>;
  /** The newest certificate of the FQDN. */
  readonly newest?: FqdnStatus['certificate'];
}

const day = (date: Date) => date.toISOString().slice(0, 10);

// cert-manager tolerates clocks that differ by an hour
const toleranceMs = 3_600_000;

/** Why a certificate is skipped whatever the service has; undefined if it can be imported. */
export function skipReason(
  { fqdn, leaf }: Pick<FoundCertificate, 'fqdn' | 'leaf'>,
  now: Date,
): string | undefined {
  if (fqdn === undefined) return 'it has no DNS name in subjectAltName, and an FQDN is a DNS name';
  if (leaf.notAfter <= now) return `it expired on ${day(leaf.notAfter)}`;
  if (leaf.notBefore.getTime() > now.getTime() + toleranceMs)
    return `it is valid only from ${day(leaf.notBefore)}`;
  return undefined;
}

type Rival = Pick<FoundCertificate, 'fqdn' | 'leaf' | 'path' | 'sha256' | 'pem'>;

/** The certificates that are not the newest ones of their names, each with the reason. */
export function findSuperseded<Found extends Rival>(found: readonly Found[]): ReadonlyMap<Found, string> {
  const newest = new Map<string, Found>();
  for (const one of found) {
    const other = newest.get(one.fqdn ?? '');
    if (other === undefined || isBetter(one, other)) newest.set(one.fqdn ?? '', one);
  }
  return new Map(
    found.flatMap((one) => {
      const other = newest.get(one.fqdn ?? '');
      if (other === undefined || other === one) return [];
      const isSame = other.sha256 === one.sha256;
      return [
        [one, isSame ? `it is the same as in ${other.path}` : `a newer one is in ${other.path}`] as const,
      ];
    }),
  );
}

/** Whether a certificate is newer, or the same with a longer chain. */
function isBetter(one: Rival, other: Rival): boolean {
  if (one.sha256 === other.sha256) return one.pem.length > other.pem.length;
  return one.leaf.notBefore > other.leaf.notBefore;
}

/** Returns the action on a certificate that can be imported. */
export function planImport({ leaf }: Pick<FoundCertificate, 'leaf'>, there: NameThere): ImportPlan {
  const { review, newest } = there;
  if (review.verdict === 'refused')
    return { action: 'fail', reason: review.message ?? 'its name is refused' };
  if (review.fqdnId === undefined) return { action: 'create' };
  const { fqdnId } = review;
  if (newest === undefined) return { action: 'import', fqdnId };
  const notBefore = new Date(newest.notBefore);
  const isSame =
    newest.serialNumber === leaf.serialNumber && notBefore.getTime() === leaf.notBefore.getTime();
  if (isSame) return { action: 'there', fqdnId };
  if (notBefore >= leaf.notBefore) {
    return { action: 'skip', reason: `the FQDN has a newer one, valid from ${day(notBefore)}`, fqdnId };
  }
  return { action: 'import', fqdnId };
}
