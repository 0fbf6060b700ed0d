import type { Fqdn } from '@certloop/contracts/browser';
import { endOf } from '../certificate-end.js';
import type { FqdnFilter } from '../lookups.js';

/** Whether the filter has a condition that a name can stop to meet; the name itself never changes. */
export function canStopFitting({
  state,
  renewal,
  providerId,
  expiresFrom,
  expiresBefore,
  renewedBy,
  issuer,
  key,
  authority,
}: FqdnFilter): boolean {
  const ofCertificate = [renewedBy, issuer, key, authority];
  return [state, renewal, providerId, expiresFrom, expiresBefore, ...ofCertificate].some(
    (condition) => condition !== undefined,
  );
}

/** Whether a filter still finds a name, by what is known about it. */
export function fitsFilter(
  { renewalEnabled, providerId, status }: Pick<Fqdn, 'renewalEnabled' | 'providerId' | 'status'>,
  filter: FqdnFilter,
): boolean {
  const expiresAt = status?.certificate === undefined ? Number.NaN : Date.parse(endOf(status.certificate));
  const { state, renewal, expiresFrom, expiresBefore, renewedBy, issuer } = filter;
  return (
    (state === undefined || status === undefined || status.state === state) &&
    (renewal === undefined || renewalEnabled === (renewal === 'on')) &&
    (renewedBy === undefined || status === undefined || status.renewedBy === renewedBy) &&
    (issuer === undefined || status === undefined || status.certificate?.issuer === issuer) &&
    (filter.providerId === undefined || providerId === filter.providerId) &&
    (expiresFrom === undefined || expiresAt >= Date.parse(expiresFrom)) &&
    (expiresBefore === undefined || expiresAt < Date.parse(expiresBefore))
  );
}
