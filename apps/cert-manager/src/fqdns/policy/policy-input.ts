import { type AllowedNames, type FieldFault, InvalidInput, type IssuancePolicy } from '@certloop/contracts';
import { readHostname } from '../../judging/hostname.js';
import { parseRange } from './address-range.js';

/** A policy as it is sent; what is absent is without a limit. */
export interface SentPolicy {
  readonly allowedNames?: AllowedNames | null | undefined;
  readonly providerIds?: string[] | null | undefined;
}

/**
 * The policy in its normal form: host names as A-labels in lower case without the final dot, ranges in their shortest
 * form, nothing twice. Throws InvalidInput that names each entry which is not a host name or range, with what to do.
 */
export function normalPolicy({ allowedNames = null, providerIds = null }: SentPolicy): IssuancePolicy {
  const ids = providerIds === null ? null : [...new Set(providerIds)];
  if (allowedNames === null) return { allowedNames, providerIds: ids };
  const { beyondFqdn } = allowedNames;
  const place = { path: 'allowedNames', code: 'invalid_policy', title: 'Not a valid issuance policy' };
  return { allowedNames: { ...normalNames(allowedNames, place), beyondFqdn }, providerIds: ids };
}

/** Lists of names, without what an FQDN has to do with them. */
type NamesLists = Omit<AllowedNames, 'beyondFqdn'>;

/** Field of a request that holds lists of names, and how their refusal is called. */
interface NamesPlace {
  readonly path: string;
  readonly code: string;
  readonly title: string;
}

/** The lists in their normal form. Throws as `normalPolicy` does. */
export function normalNames(lists: NamesLists, place: NamesPlace): NamesLists {
  const { wildcards } = lists;
  const faults: FieldFault[] = [];
  const read = (list: 'names' | 'suffixes' | 'cidrs', readEntry: (text: string) => Entry) => {
    const entries = lists[list].map((text, index) => {
      const { fault, entry } = readEntry(text);
      if (fault !== undefined) {
        const path = `${place.path}.${list}[${index}]`;
        faults.push({ path, code: list === 'cidrs' ? 'invalid_range' : 'invalid_hostname', message: fault });
      }
      return entry ?? text;
    });
    return [...new Set(entries)];
  };
  const names = read('names', (text) => readName(text, wildcards));
  const suffixes = read('suffixes', readSuffix);
  const cidrs = read('cidrs', readRange);
  if (faults.length > 0) throw refusalOf(faults, place);
  return { names, suffixes, wildcards, cidrs };
}

type Entry =
  | { readonly entry: string; readonly fault?: undefined }
  | { readonly fault: string; readonly entry?: undefined };

function readName(text: string, wildcards: boolean): Entry {
  const { hostname, fault } = readHostname(text);
  if (hostname === undefined) return { fault: withAddressHint(text, fault) };
  if (hostname.startsWith('*.') && !wildcards) {
    return { fault: 'is a wildcard, but wildcards is false; set wildcards to true or leave the name out' };
  }
  return { entry: hostname };
}

function readSuffix(text: string): Entry {
  const dotted = /^(?:\*?\.)+(.+)$/s.exec(text)?.[1];
  if (dotted !== undefined) {
    const { hostname } = readHostname(dotted);
    const instead = hostname === undefined ? 'the name' : hostname;
    return { fault: `must begin with a label; write ${instead}, which also stands for all names below it` };
  }
  const { hostname, fault } = readHostname(text);
  return hostname === undefined ? { fault: withAddressHint(text, fault) } : { entry: hostname };
}

function readRange(text: string): Entry {
  const { range, fault, ...reading } = parseRange(text);
  return range === undefined ? { fault: fault ?? '' } : { entry: 'text' in reading ? reading.text : text };
}

/** Addresses have a list of their own. */
function withAddressHint(text: string, fault: string): string {
  const isRange = parseRange(text).range !== undefined || parseRange(`${text}/32`).range !== undefined;
  return isRange ? `${fault}; ranges of addresses belong into cidrs` : fault;
}

function refusalOf(fields: readonly FieldFault[], { code, title }: NamesPlace): InvalidInput {
  const [first] = fields;
  const more = fields.length > 1 ? `, and ${fields.length - 1} more` : '';
  return new InvalidInput(`${first?.path}: ${first?.message}${more}`, {
    code,
    title,
    fields: fields.slice(0, 100),
  });
}
