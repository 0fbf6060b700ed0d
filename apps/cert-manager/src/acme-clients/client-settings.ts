import { type ClientNames, type FieldFault, InvalidInput, type SentClientNames } from '@certloop/contracts';
import { createRangeLookup, parseRange, plainOctets } from '../fqdns/policy/address-range.js';
import { normalNames } from '../fqdns/policy/policy-input.js';
import { invalidField } from '../http/problem.js';
import type { AcmeClientRow } from './acme-client.js';

/** Settings of a client, which people choose. */
export type ClientSettings = Pick<
  AcmeClientRow,
  | 'name'
  | 'names'
  | 'providerId'
  | 'createFqdns'
  | 'mayTakeOver'
  | 'allowedCidrs'
  | 'expiresAt'
  | 'maxOrdersPerDay'
  | 'maxAccounts'
>;

/** Settings as they are sent; what is absent stays as it is, or is the default. */
export interface SentSettings {
  readonly names?: SentClientNames | null | undefined;
  readonly providerId?: string | null | undefined;
  readonly createFqdns?: boolean | undefined;
  readonly mayTakeOver?: boolean | undefined;
  readonly allowedCidrs?: readonly string[] | undefined;
  readonly expiresAt?: string | null | undefined;
  readonly maxOrdersPerDay?: number | undefined;
  readonly maxAccounts?: number | undefined;
}

/** Settings of a client that sends none. */
export const usualSettings: Omit<ClientSettings, 'name'> = {
  names: null,
  providerId: null,
  createFqdns: true,
  mayTakeOver: false,
  allowedCidrs: [],
  expiresAt: null,
  maxOrdersPerDay: 300,
  maxAccounts: 100,
};

/**
 * The settings in their normal form; what is not sent is as before. Throws InvalidInput that names each entry which is not
 * a host name or a range, and for a moment that has passed.
 */
export function settingsOf(
  sent: SentSettings,
  before: Omit<ClientSettings, 'name'>,
  now: Date,
): Omit<ClientSettings, 'name'> {
  const { names, allowedCidrs, expiresAt } = sent;
  return {
    names: names === undefined ? before.names : names && namesOf(names),
    providerId: sent.providerId === undefined ? before.providerId : sent.providerId,
    createFqdns: sent.createFqdns ?? before.createFqdns,
    mayTakeOver: sent.mayTakeOver ?? before.mayTakeOver,
    allowedCidrs: allowedCidrs === undefined ? before.allowedCidrs : rangesOf(allowedCidrs),
    expiresAt: expiresAt === undefined ? before.expiresAt : endOf(expiresAt, now),
    maxOrdersPerDay: sent.maxOrdersPerDay ?? before.maxOrdersPerDay,
    maxAccounts: sent.maxAccounts ?? before.maxAccounts,
  };
}

function namesOf({ names = [], suffixes = [], wildcards = false, cidrs = [] }: SentClientNames): ClientNames {
  const place = { path: 'names', code: 'invalid_names', title: 'Not valid names' };
  const { names: exact, ...lists } = normalNames({ names, suffixes, wildcards, cidrs }, place);
  if (exact.length + lists.suffixes.length + lists.cidrs.length > 0) return { names: exact, ...lists };
  throw namesRequired('allows no name; give it names or suffixes');
}

/** The refusal of a client that would have no limit, or no name at all. */
export function namesRequired(message: string): InvalidInput {
  return invalidField('names', message, 'names_required', {
    code: 'names_required',
    title: 'Names required',
  });
}

function rangesOf(texts: readonly string[]): string[] {
  const faults: FieldFault[] = [];
  const ranges = texts.map((text, index) => {
    const reading = parseRange(text);
    if (reading.fault === undefined) return reading.text;
    faults.push({ path: `allowedCidrs[${index}]`, code: 'invalid_range', message: reading.fault });
    return text;
  });
  const [first] = faults;
  if (first === undefined) return [...new Set(ranges)];
  throw new InvalidInput(`${first.path}: ${first.message}`, { code: 'invalid_range', fields: faults });
}

function endOf(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const expiresAt = new Date(text);
  if (expiresAt > now) return expiresAt;
  throw invalidField('expiresAt', 'must be in the future; leave it out for a client without an end');
}

/** Whether the client may be used from the address at the moment; accounts are judged as the key is. */
export function isUsableFrom(
  { allowedCidrs, expiresAt }: Pick<AcmeClientRow, 'allowedCidrs' | 'expiresAt'>,
  ipAddress: string,
  now: Date,
): boolean {
  if (expiresAt !== null && expiresAt <= now) return false;
  if (allowedCidrs.length === 0) return true;
  const octets = plainOctets(ipAddress);
  const isInside = createRangeLookup(allowedCidrs.flatMap((text) => parseRange(text).range ?? []));
  return octets !== undefined && isInside(octets);
}
