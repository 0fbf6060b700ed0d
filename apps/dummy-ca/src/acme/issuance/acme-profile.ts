import { AcmeProblem } from '@certloop/contracts';
import type { CertificateProfile, ProfileOption } from '../../authority/certificate-profile.js';
import type { Validity } from '../../authority/issuance-profile.js';

/** Sentence about a profile for the directory. */
export function describeProfile(profile: CertificateProfile): string {
  const { validitySeconds, notBeforeOffsetSeconds, options = [] } = profile;
  const days = validitySeconds / 86_400;
  const length = Number.isInteger(days) && days > 1 ? `${days} days` : `${validitySeconds} seconds`;
  const begin =
    notBeforeOffsetSeconds === undefined ? '' : `, beginning ${describeOffset(notBeforeOffsetSeconds)}`;
  const purpose = options.includes('server-only') ? 'TLS server' : 'TLS server and client';
  const lacking = options.flatMap((option) => lackingWords.get(option) ?? []);
  const without = lacking.length === 0 ? '' : `, without ${lacking.join(', ')}`;
  return `${purpose} certificates that are valid for ${length}${begin}${without}`;
}

const lackingWords: ReadonlyMap<ProfileOption, string> = new Map([
  ['no-cn', 'common name'],
  ['no-ski', 'subject key identifier'],
  ['no-key-encipherment', 'key encipherment'],
]);

const describeOffset = (seconds: number): string =>
  seconds < 0 ? `${-seconds} seconds before they are issued` : `${seconds} seconds after they are issued`;

/** Profile by its name, the first one when none is asked for. Throws `invalidProfile` for another name. */
export function chooseProfile(
  profiles: readonly CertificateProfile[],
  name: string | undefined,
): CertificateProfile {
  const profile = name === undefined ? profiles[0] : profiles.find((each) => each.name === name);
  if (profile !== undefined) return profile;
  const names = profiles.map((each) => each.name).join(', ');
  throw new AcmeProblem('invalidProfile', `the profile must be one of ${names}`);
}

export interface AskedValidity {
  readonly notBefore: Date | undefined;
  readonly notAfter: Date | undefined;
}

/** Profile and validity that an order asks for. */
export interface OrderTerms extends AskedValidity {
  readonly profile: string;
}

/**
 * Bounds that an order asks for, as whole seconds. Throws `malformed` when they end before they begin or leave
 * those of the issuer, within which also the past and the future may be asked for.
 */
export function parseAskedValidity(
  {
    notBefore,
    notAfter,
  }: { readonly notBefore?: string | undefined; readonly notAfter?: string | undefined },
  issuer: Validity,
): AskedValidity {
  const asked = { notBefore: wholeSecond(notBefore), notAfter: wholeSecond(notAfter) };
  for (const [name, instant] of Object.entries(asked)) {
    if (instant !== undefined && (instant < issuer.notBefore || instant > issuer.notAfter)) {
      const range = `${issuer.notBefore.toISOString()} to ${issuer.notAfter.toISOString()}`;
      throw new AcmeProblem('malformed', `${name} is outside of the validity of the issuer, ${range}`);
    }
  }
  const { notBefore: begin, notAfter: end } = asked;
  if (begin !== undefined && end !== undefined && end <= begin) {
    throw new AcmeProblem('malformed', 'notAfter is not after notBefore');
  }
  return asked;
}

/**
 * Validity of a certificate issued at `now`: what the order asks for, and for the rest the profile's length from its
 * offset, without one as far back as clocks of clients may be slow, or a tenth of the length when that is less;
 * never outside of the issuer's.
 */
export function acmeValidity(
  { validitySeconds, notBeforeOffsetSeconds }: CertificateProfile,
  asked: AskedValidity,
  now: Date,
  issuer: Validity,
  backdateSeconds: number,
): Validity {
  const lengthMs = validitySeconds * 1000;
  const backSeconds = Math.floor(Math.min(backdateSeconds, validitySeconds / 10));
  const offset = notBeforeOffsetSeconds ?? -backSeconds;
  const usual = Math.floor(now.getTime() / 1000) * 1000 + offset * 1000;
  const end = asked.notAfter?.getTime();
  // Who asks for an end in the past alone asks for a whole validity in the past.
  const usualFor = end !== undefined && end <= usual ? end - lengthMs : usual;
  const begin = asked.notBefore?.getTime() ?? usualFor;
  const notBefore = Math.max(begin, issuer.notBefore.getTime());
  // A length that begins at another moment on request is not moved to where the issuer begins.
  const usualEnd = (notBeforeOffsetSeconds === undefined ? notBefore : begin) + lengthMs;
  return {
    notBefore: new Date(notBefore),
    notAfter: new Date(Math.min(end ?? usualEnd, issuer.notAfter.getTime())),
  };
}

function wholeSecond(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(Math.floor(Date.parse(text) / 1000) * 1000);
}
