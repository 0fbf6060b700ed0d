import { NotFound } from '@certloop/contracts';
import type { Check } from '../checks/check.js';
import { statusAt } from '../checks/check-timing.js';
import { listChecksByUniqueKey } from '../checks/rows/checks.repository.js';
import type { DbDeps } from '../db-deps.js';
import {
  looksLikeCloakedSignature,
  opensCloaked,
  opensCloakedTest,
} from '../integrations/links/cloaked-link.js';
import { displayName } from '../integrations/messages/alert-event.js';
import { spokenSignal } from '../integrations/messages/spoken-signal.js';
import { spokenMoment } from '../integrations/messages/spoken-time.js';
import { type PingLimits, pingLimitOf } from '../pings/ping-limits.service.js';
import { listLatestPings, type PingSummary } from '../pings/pings.repository.js';
import { acceptedSecrets, type Secrets } from '../projects/api-key.js';
import type { CloakedView } from './cloaked-page.js';

export interface CloakedDeps extends PingLimits, Secrets, DbDeps {
  readonly siteName: string;
  /** Path before the pages of the console; undefined where only the API is served. */
  readonly consolePath: string | undefined;
}

/** A link to the page of a check as it came in. */
export interface GivenCloakedLink {
  readonly uniqueKey: string;
  readonly signature: string;
}

const maxPings = 20;

/** Whether a text can be the unique key of a check. */
function looksLikeUniqueKey(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** Page of the check in the console; undefined without a console, or where no check can have the key. */
export function consoleLink(
  { consolePath }: Pick<CloakedDeps, 'consolePath'>,
  { uniqueKey }: Pick<GivenCloakedLink, 'uniqueKey'>,
): string | undefined {
  if (consolePath === undefined || !looksLikeUniqueKey(uniqueKey)) return undefined;
  return `${consolePath}checks/${uniqueKey}`;
}

/**
 * Returns what the link opens: the page of a check, or `test` for the link of a test message. Throws NotFound for every
 * other link, in the same words whether the check does not exist or the signature is not its own; texts that cannot be
 * a key and a signature cost no query.
 */
export async function openCloaked(deps: CloakedDeps, link: GivenCloakedLink): Promise<CloakedView | 'test'> {
  const { uniqueKey, signature } = link;
  if (!looksLikeUniqueKey(uniqueKey) || !looksLikeCloakedSignature(signature)) throw noSuchPage();
  const secrets = acceptedSecrets(deps);
  if (secrets.some((secret) => opensCloakedTest(secret, uniqueKey, signature))) return 'test';
  return deps.db.read(async (tx) => {
    const found = await listChecksByUniqueKey(tx, uniqueKey);
    const check = found.find(({ uuid }) => secrets.some((secret) => opensCloaked(secret, uuid, signature)));
    if (check === undefined) throw noSuchPage();
    const limit = await pingLimitOf(deps, tx, check.projectId);
    const pings = await listLatestPings(tx, check.id, Math.min(limit, maxPings));
    return viewOf(deps, check, pings);
  });
}

function viewOf(deps: CloakedDeps, check: Check, pings: readonly PingSummary[]): CloakedView {
  const now = deps.clock.now();
  const zone = check.kind === 'simple' ? 'UTC' : check.tz;
  return {
    siteName: deps.siteName,
    name: displayName(check),
    status: statusAt(check, now),
    asOf: spokenMoment(now, zone),
    pings: pings.map((ping) => ({ moment: spokenMoment(ping.at, zone), kind: spokenSignal(ping) })),
  };
}

function noSuchPage(): NotFound {
  return new NotFound('the link is not valid');
}
