import { Forbidden, InvalidInput, NotFound, Unauthenticated } from '@certloop/contracts';
import { sameText } from '@certloop/server';
import { listManyChecks } from '../checks/rows/check-cells.repository.js';
import type { DbDeps } from '../db-deps.js';
import { microsPerSecond } from '../instants.js';
import { keyLength, type Secrets } from '../projects/api-key.js';
import { findProjectByKey } from '../projects/identify-project.service.js';
import { isUuid } from '../storable-text.js';
import { describeForPrometheus } from './prometheus.js';
import { readCounters } from './scrape.repository.js';

export interface MetricsDeps extends Secrets, DbDeps {
  /** Opens the counters of the whole service; no one may see them when undefined. */
  readonly metricsKey: string | undefined;
}

/** Counters of the whole service, and the seconds since 1970. Throws Forbidden for another key than ours. */
export async function readServiceCounters(deps: MetricsDeps, key: string) {
  if (deps.metricsKey === undefined || !sameText(key, deps.metricsKey))
    throw new Forbidden('wrong metrics key');
  const counters = await deps.db.read(readCounters);
  return { ...counters, seconds: Math.floor(deps.clock.now() / microsPerSecond) };
}

/**
 * Checks of the project of a read-only key for Prometheus; `uuid` is not compared with its project.
 * Throws NotFound for anything that is not a UUID, Unauthenticated without a key, InvalidInput for a malformed one,
 * Forbidden for one that no one has, or that may do more than read.
 */
export async function describeProject(
  deps: MetricsDeps,
  uuid: string,
  key: string | undefined,
): Promise<string> {
  if (!isUuid(uuid.toLowerCase())) throw new NotFound('nothing exists at this path');
  if (key === undefined) throw new Unauthenticated('missing api key');
  if ([...key].length !== keyLength) throw new InvalidInput('an api key has 32 characters');
  const found = await deps.db.read(async (tx) => {
    const project = await findProjectByKey(tx, deps, key);
    return project?.kind === 'read-only' ? await listManyChecks(tx, project.id) : undefined;
  });
  if (found === undefined) throw new Forbidden('wrong api key');
  return describeForPrometheus(found, deps.clock.now());
}
