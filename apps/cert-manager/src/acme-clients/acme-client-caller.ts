import type { Caller, Origin } from '../access/caller.js';
import type { AcmeClientRow } from './acme-client.js';

/** A client as the caller of the issuances that it orders; it has no rights at any endpoint of the API. */
export function acmeClientCaller({ id, name }: Pick<AcmeClientRow, 'id' | 'name'>, from: Origin): Caller {
  return {
    ...from,
    kind: 'acmeClient',
    userId: id,
    username: `acme:${name}`,
    isAdmin: false,
    hasFullAccess: false,
    spaceLevels: new Map(),
  };
}
