import { describeFound, type NewestCertificate } from '@certloop/tls-probe/rules';
import type { AddressState } from '../probes/address-state.js';
import type { ServedFacts } from '../probes/judge-observation.js';
import { hostPortOf } from '../target.js';

type Hinted = Pick<AddressState, 'class'> & ServedFacts & { readonly address: string };

/** Returns a sentence for people: what an address of a target serves, and what to do. */
export function hintOfState(
  state: Hinted,
  { host, port }: { readonly host: string; readonly port: number },
  newest: NewestCertificate | undefined,
): string {
  const place = hostPortOf(state.address === '' ? host : state.address, port);
  if (state.class === 'unreachable') {
    return describeFound(
      place,
      { class: 'unreachable', fault: state.failure ?? 'connection_failed' },
      newest,
    );
  }
  const { class: found, serialNumber, notBefore, notAfter, detail } = state;
  const number = serialNumber ?? '';
  if (found === 'current' && newest !== undefined && !newest.serialNumber.startsWith(number))
    return `${place} serves certificate ${number}, which is later than ${newest.serialNumber}: that one is watched until every address serves a later one.`;
  const facts = {
    class: found,
    serialNumber: number,
    notBefore: notBefore ?? new Date(0),
    notAfter: notAfter ?? new Date(0),
    reason: detail ?? undefined,
  };
  const text = describeFound(place, facts, newest);
  const isUnverified = found === 'current' && detail !== null;
  return isUnverified ? `${text} Its chain does not verify: ${detail}.` : text;
}
