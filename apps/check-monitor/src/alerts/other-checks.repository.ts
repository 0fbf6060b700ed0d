import { column, querySql, type Tx } from '@certloop/db';
import { LRUCache } from 'lru-cache';
import type { Check } from '../checks/check.js';
import { wholeCheckColumns, wholeChecks } from '../checks/rows/checks.repository.js';
import { type Clock, type Micros, microsPerSecond } from '../instants.js';

/** How the other checks of a project are doing; those that are down by name, if they are 10 at most. */
export interface OtherChecksFound {
  readonly total: number;
  readonly downCount: number;
  readonly down: readonly Check[];
}

type OneCheck = Pick<Check, 'id' | 'projectId' | 'storedStatus'>;

/** How the checks of the project of a check are doing, without itself. */
export type SummariseOthers = (tx: Tx, check: OneCheck) => Promise<OtherChecksFound>;

interface Summary extends OtherChecksFound {
  readonly at: Micros;
}

const maxNamed = 10;
const maxProjects = 1000;

/** Counts the checks of a project at most once a second: in a storm each message would count them all. */
export function createOthersSummary(clock: Clock): SummariseOthers {
  const summaries = new LRUCache<string, Summary>({ max: maxProjects });
  return async (tx, check) => {
    const at = clock.now();
    let summary = summaries.get(check.projectId);
    if (summary === undefined || at < summary.at || at >= summary.at + microsPerSecond) {
      summary = { ...(await summarise(tx, check.projectId)), at };
      summaries.set(check.projectId, summary);
    }
    return without(summary, check);
  };
}

function without({ total, downCount, down }: Summary, { id, storedStatus }: OneCheck): OtherChecksFound {
  const others = down.filter((other) => other.id !== id);
  // where they are too many to be named, no one counts whether it is one more
  const isNamed = downCount <= maxNamed + 1;
  const otherCount = isNamed ? others.length : downCount - (storedStatus === 'down' ? 1 : 0);
  return {
    total: Math.max(0, total - 1),
    downCount: otherCount,
    down: otherCount > maxNamed ? [] : others,
  };
}

async function summarise(tx: Tx, projectId: string): Promise<OtherChecksFound> {
  const text = `select count(*) as total, count(case when stored_status = 'down' then 1 end) as down_count
    from ${wholeChecks} where project_id = $1`;
  const columns = { total: column.bigint(), downCount: column.bigint() };
  const [counts] = await querySql(tx, columns, text, [projectId]);
  const { total, downCount } = counts ?? { total: 0, downCount: 0 };
  if (downCount === 0 || downCount > maxNamed + 1) return { total, downCount, down: [] };
  const named = `select * from ${wholeChecks} where project_id = $1 and stored_status = 'down' order by name, id`;
  return { total, downCount, down: await querySql(tx, wholeCheckColumns, named, [projectId]) };
}
