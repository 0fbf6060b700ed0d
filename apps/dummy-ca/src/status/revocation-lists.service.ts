import type { CaIssuerName } from '@certloop/contracts';
import { NotFound } from '@certloop/contracts';
import { createRevocationList } from '@certloop/crypto';
import type { NamedIssuer } from '../authority/named-issuer.js';
import { beginOf, type StatusDeps } from './status-deps.service.js';

export interface RevocationList {
  readonly der: Buffer;
  readonly thisUpdate: Date;
}

/** The list of the issuer as it stands now. Rejects with NotFound when there is no such issuer. */
export type RevocationListOf = (name: CaIssuerName) => Promise<RevocationList>;

interface Made {
  readonly version: number;
  readonly madeAt: number;
  readonly thisUpdate: Date;
  readonly der: Promise<Buffer>;
}

/** Lists are made when they are asked for: again after each revocation and when half of their time is over. */
export function createRevocationLists(deps: StatusDeps): RevocationListOf {
  const { revocations, settings, clock } = deps;
  const made = new Map<CaIssuerName, Made>();
  let lastNumber = 0n;
  // Milliseconds, so that the numbers of a root in files rise over restarts (RFC 5280 §5.2.3).
  const nextNumber = () => {
    const present = BigInt(clock.now().getTime());
    lastNumber = present > lastNumber ? present : lastNumber + 1n;
    return lastNumber;
  };
  const isFresh = ({ version, madeAt }: Made) => {
    const age = clock.now().getTime() - madeAt;
    return version === revocations.version() && age >= 0 && age < settings.crlSeconds * 500;
  };
  return async (name) => {
    const issuer = getIssuer(deps, name);
    const last = made.get(name);
    const list = last !== undefined && isFresh(last) ? last : makeList(deps, issuer, nextNumber());
    made.set(name, list);
    return { der: await list.der, thisUpdate: list.thisUpdate };
  };
}

/** Throws NotFound. */
export function getIssuer({ issuers }: StatusDeps, name: CaIssuerName): NamedIssuer {
  const issuer = issuers.find((each) => each.name === name);
  if (issuer === undefined) throw new NotFound('no such issuer');
  return issuer;
}

function makeList(deps: StatusDeps, named: NamedIssuer, number: bigint): Made {
  const { name, issuer } = named;
  const { revocations, settings, clock } = deps;
  const lengthMs = settings.crlSeconds * 1000;
  const madeAt = Math.floor(clock.now().getTime() / 1000) * 1000;
  const thisUpdate = new Date(beginOf(deps, named, madeAt));
  const nextUpdate = new Date(madeAt + lengthMs);
  // RFC 5280 §3.3: an entry stays for one list beyond the end of its certificate.
  const begin = new Date(madeAt - lengthMs);
  const entries: Buffer[] = [];
  for (const revocation of revocations.values()) {
    if (revocation.issuer === name && revocation.notAfter >= begin) entries.push(revocation.entryDer);
  }
  const der = createRevocationList(issuer, { number, thisUpdate, nextUpdate, entries });
  return { version: revocations.version(), madeAt, thisUpdate, der };
}
