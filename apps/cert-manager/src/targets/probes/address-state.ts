import type { ServedClass } from '@certloop/contracts';

/** State of an address when it was last observed. */
export interface AddressState {
  readonly class: ServedClass;
  /** Since when it is of this class. */
  readonly since: Date;
  /** Since when it is of a class that fails; null while it is well. */
  readonly failingSince: Date | null;
  /** Observations in a row without a handshake. */
  readonly misses: number;
}

// the table of classes: these are well, the others fail
const wellClasses: ReadonlySet<ServedClass> = new Set(['current', 'previous']);
/** Observations in a row without a handshake that make a fault. */
const maxMisses = 3;

export const isWell = (served: ServedClass): boolean => wellClasses.has(served);

/** Observation of an address with its verdict. */
export interface Judged {
  readonly class: ServedClass;
  readonly observedAt: Date;
  /** When the certificate that should be served instead was stored, where an earlier one is. */
  readonly replacedAt: Date | undefined;
}

/**
 * The state after an observation. A fault counts from its first observation, a stale certificate from the moment at
 * which the next one was stored; a fault that turns into another goes on.
 */
export function stateAfter(
  before: AddressState | undefined,
  { class: found, observedAt, replacedAt }: Judged,
): AddressState {
  const isSame = before?.class === found;
  const began = found === 'stale' && replacedAt !== undefined ? replacedAt : observedAt;
  return {
    class: found,
    since: isSame ? before.since : observedAt,
    failingSince: isWell(found) ? null : earliest(before?.failingSince ?? began, began),
    misses: found === 'unreachable' ? (isSame ? Math.min(before.misses + 1, maxMisses) : 1) : 0,
  };
}

/** When the fault of an address makes its FQDN's check fail; undefined if there is none, or not often enough yet. */
export function failsAt(
  { class: found, failingSince, misses }: Pick<AddressState, 'class' | 'failingSince' | 'misses'>,
  graceSeconds: number,
): Date | undefined {
  if (failingSince === null || (found === 'unreachable' && misses < maxMisses)) return undefined;
  return new Date(failingSince.getTime() + graceSeconds * 1000);
}

const earliest = (a: Date, b: Date): Date => (a < b ? a : b);
