import { type BadgeReport, type BadgeSet, type BadgeUrls, NotFound } from '@certloop/contracts';
import { slicesOf, yieldBetween } from '@certloop/db';
import type { Check } from '../checks/check.js';
import { statusAt } from '../checks/check-timing.js';
import type { DbDeps } from '../db-deps.js';
import { acceptedSecrets, type Secrets } from '../projects/api-key.js';
import type { Caller } from '../projects/caller.js';
import { getProject } from '../projects/projects.repository.js';
import { isUuid } from '../storable-text.js';
import { allChecks, badgeUrls, isSigned, statesOf, tagOf } from './badge-signature.js';
import { countStatus, noChecks, reportOf } from './badge-status.js';
import type { Tallies } from './tallies.store.js';

export interface BadgesDeps extends Secrets, DbDeps {
  readonly addresses: { readonly siteRoot: string };
  /** Label of the badge of all checks. */
  readonly badgeLabel: string;
  readonly tallies: Tallies;
  /** The check of a badge uuid, lower-case. */
  readonly findBadgeCheck: (badgeUuid: string) => Promise<Check | undefined>;
}

/** Content of a badge. */
export interface Badge {
  readonly label: string;
  readonly report: BadgeReport;
}

// each check has up to 250 tags, and the addresses of a tag take some 20 microseconds
const tagsAtOnce = 200;

/** Addresses of the badges of the caller's project: of all checks first, then of each tag. */
export async function listBadges(deps: BadgesDeps, { projectId }: Caller): Promise<BadgeSet> {
  const { badgeKey } = await deps.db.read((tx) => getProject(tx, projectId));
  const tally = await deps.tallies.get(badgeKey);
  const named = [allChecks, ...(tally?.tags() ?? []).sort()];
  const signer = { badgeKey, secret: deps.secret };
  // from entries, as a tag may be called __proto__
  const urls: [string, BadgeUrls][] = [];
  for await (const tags of yieldBetween(slicesOf(named, tagsAtOnce))) {
    for (const tag of tags) urls.push([tag, badgeUrls(deps.addresses.siteRoot, signer, tag)]);
  }
  return { badges: Object.fromEntries(urls) };
}

/** Path of the badge of a tag, or of all checks, as HTTP decoded it once. */
export interface TagBadgePath {
  readonly badgeKey: string;
  readonly signature: string;
  /** All checks when absent. */
  readonly tag?: string;
}

/** Badge of the checks that have a tag. Throws NotFound when the address is not signed for it. */
export async function readTagBadge(deps: BadgesDeps, path: TagBadgePath): Promise<Badge> {
  const { badgeKey, signature } = path;
  const tag = path.tag === undefined ? allChecks : tagOf(path.tag);
  if (tag === undefined) throw unknown();
  const isOurs = acceptedSecrets(deps).some((secret) => isSigned({ badgeKey, secret }, tag, signature));
  if (!isOurs) throw unknown();
  const tally = await deps.tallies.get(badgeKey);
  if (tally === undefined) throw unknown();
  const label = tag === allChecks ? deps.badgeLabel : tag;
  return { label, report: reportOf(tally.countsOf(tag), statesOf(signature)) };
}

/** Badge of one check; `states` are digits, of which only 3 means three states. Throws NotFound. */
export async function readCheckBadge(deps: BadgesDeps, states: string, badgeUuid: string): Promise<Badge> {
  if (!/^[0-9]+$/.test(states) || !isUuid(badgeUuid.toLowerCase())) throw unknown();
  const check = await deps.findBadgeCheck(badgeUuid.toLowerCase());
  if (check === undefined) throw unknown();
  const counts = countStatus(noChecks, statusAt(check, deps.clock.now()), 1);
  return { label: labelOf(check), report: reportOf(counts, Number(states) === 3 ? 3 : 2) };
}

/** Badges are public, so the uuid is never the label: it would allow everyone to ping the check. */
function labelOf({ name, slug }: Check): string {
  return name || slug || 'unnamed';
}

function unknown(): NotFound {
  return new NotFound('there is no such badge');
}
