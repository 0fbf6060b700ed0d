import { domainToASCII } from 'node:url';
import {
  type AcmeIdentifier,
  AcmeProblem,
  type AcmeProblemType,
  acmeErrorNamespace,
} from '@certloop/contracts';
import { formatIpAddress, parseIpAddress } from '@certloop/crypto';

/** An identifier in its one normal form: a name in lower case, an address as RFC 5952 writes it. */
export interface Identifier {
  readonly type: 'dns' | 'ip';
  /** With `*.` in front for a wildcard. */
  readonly value: string;
}

/** Names and addresses that one order may have. */
export const maxIdentifiers = 100;

/** The identifier as a text that is the same for the same one. */
export function identifierKey({ type, value }: Identifier): string {
  return `${type}:${value}`;
}

/**
 * Identifiers in normal form, each once, in the order given. Throws an AcmeProblem that has a subproblem for
 * each one that cannot be taken: `unsupportedIdentifier` or `malformed`, or `compound` for both.
 */
export function parseIdentifiers(asked: readonly AcmeIdentifier[]): Identifier[] {
  if (asked.length > maxIdentifiers) {
    throw new AcmeProblem('malformed', `an order may have at most ${maxIdentifiers} identifiers`);
  }
  const judged = asked.map((identifier) => ({ identifier, verdict: judge(identifier) }));
  const faults = judged.flatMap(({ identifier, verdict }) =>
    'reason' in verdict ? [{ identifier, ...verdict }] : [],
  );
  if (faults.length > 0) throw refusalOf(faults);
  const valid = judged.flatMap(({ verdict }) => ('reason' in verdict ? [] : [verdict]));
  return [...new Map(valid.map((identifier) => [identifierKey(identifier), identifier])).values()];
}

interface Fault {
  readonly type: AcmeProblemType;
  readonly reason: string;
}

function judge({ type, value }: AcmeIdentifier): Identifier | Fault {
  switch (type) {
    case 'dns':
      return judgeName(value.toLowerCase());
    case 'ip':
      return judgeAddress(value);
    default:
      return { type: 'unsupportedIdentifier', reason: 'only identifiers of the types dns and ip are known' };
  }
}

// What programs read as an address, in all the forms that they know (WHATWG URL, ends-in-a-number checker).
const endsInNumber = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function judgeName(value: string): Identifier | Fault {
  const name = value.startsWith('*.') ? value.slice(2) : value;
  const malformed = (reason: string): Fault => ({ type: 'malformed', reason });
  if (parseIpAddress(name) !== undefined) return malformed('is an address: its type is ip');
  // RFC 1035 §2.3.4: 255 octets on the wire are 253 characters of text.
  if (value.length > 253) return malformed('is longer than 253 characters');
  if (name.includes('*')) return malformed('has an asterisk that is not its whole first label');
  if (name.endsWith('.')) return malformed('ends with a dot');
  if (!name.split('.').every((part) => label.test(part))) {
    return malformed('is not a host name of labels with letters, digits and hyphens');
  }
  if (endsInNumber.test(name)) return malformed('ends in a number, as addresses do');
  if (domainToASCII(name) !== name)
    return malformed('has a label with xn-- that is not an A-label (RFC 5890)');
  return { type: 'dns', value };
}

function judgeAddress(value: string): Identifier | Fault {
  const address = normalAddress(value);
  if (address === undefined) return { type: 'malformed', reason: 'is not an IP address' };
  return { type: 'ip', value: address };
}

/** An address as RFC 5952 writes it; undefined for anything else. */
export function normalAddress(text: string): string | undefined {
  const octets = parseIpAddress(text);
  return octets === undefined ? undefined : formatIpAddress(octets);
}

function refusalOf(faults: readonly (Fault & { readonly identifier: AcmeIdentifier })[]): AcmeProblem {
  const types = new Set(faults.map(({ type }) => type));
  const [only] = types;
  const type = types.size === 1 && only !== undefined ? only : 'compound';
  const texts = faults.map(({ identifier, reason }) => `${quoted(identifier.value)} ${reason}`);
  const subproblems = faults.map(({ identifier, reason, type: each }) => ({
    type: `${acmeErrorNamespace}${each}`,
    detail: `${quoted(identifier.value)} ${reason}`,
    identifier,
  }));
  return new AcmeProblem(type, texts.slice(0, 3).join('; '), { subproblems });
}

const quoted = (value: string): string => JSON.stringify(value.slice(0, 80));
