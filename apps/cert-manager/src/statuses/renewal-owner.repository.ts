import type { RenewalOwner } from '@certloop/contracts';
import { acmeClients } from './renewal-owner.js';

const ofAcmeClient = `c.source in (${acmeClients.map((name) => `'${name}'`).join(', ')})`;

/** SQL condition: what one of the targets of the FQDN serves becomes its newest certificate. */
export function isAdoptedSql(fqdnId: string): string {
  return `exists (select 1 from targets a where a.fqdn_id = ${fqdnId} and a.adopt = true)`;
}

const isElsewhere = `c.source = 'served' and ${isAdoptedSql('s.id')}`;

/** SQL of who renews the FQDN of status `s` with the newest certificate `c`, as `renewalOwnerOf` has it. */
export const renewalOwnerSql = `case when s.client = 'renews' then 'acme_client' when s.client = 'gone' then 'none'
  when s.renewal_enabled = true then 'certloop'
  when ${ofAcmeClient} then 'acme_client' when ${isElsewhere} then 'elsewhere' else 'none' end`;

const certificateThat = (condition: string) =>
  `exists (select 1 from certificates c where c.id = s.certificate_id and ${condition})`;

/** SQL condition: so it is of status `s`. */
export function renewedByCondition(owner: RenewalOwner): string {
  if (owner === 'certloop') return 's.renewal_enabled = true and s.client is null';
  const conditions: Readonly<Record<Exclude<RenewalOwner, 'certloop'>, string>> = {
    acme_client: certificateThat(ofAcmeClient),
    elsewhere: certificateThat(isElsewhere),
    none: `not ${certificateThat(`(${ofAcmeClient} or (${isElsewhere}))`)}`,
  };
  const byOthers = `s.client is null and s.renewal_enabled = false and ${conditions[owner]}`;
  const part = { acme_client: 'renews', none: 'gone', elsewhere: undefined }[owner];
  return part === undefined ? byOthers : `(s.client = '${part}' or (${byOthers}))`;
}

/** SQL condition: the newest certificate has this value. */
export function newestHas(column: 'issuer' | 'key_kind' | 'authority_sha256', placeholder: string): string {
  return certificateThat(`c.${column} = ${placeholder}`);
}
