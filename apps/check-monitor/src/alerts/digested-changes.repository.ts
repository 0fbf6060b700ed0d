import { column, querySql, type Tx } from '@certloop/db';
import type { AlertStatus } from '../integrations/messages/alert-event.js';
import type { DigestedChange } from './notices.js';

const digestColumns = {
  checkId: column.bigint(),
  name: column.word(100),
  slug: column.word(100),
  kind: column.word(10),
  tz: column.word(36),
  status: column.word<AlertStatus>(6),
  at: column.preciseInstant(),
};

/** Changes that the digest of a turn reports, oldest first. */
export async function listDigestedChanges(tx: Tx, turnId: string | null): Promise<readonly DigestedChange[]> {
  const text = `select n.check_id, c.name, c.slug, c.kind, c.tz, n.status, f.at from notifications n
    join checks c on c.id = n.check_id join flips f on f.id = n.flip_id where n.turn_id = $1 order by n.id`;
  const rows = await querySql(tx, digestColumns, text, [turnId]);
  return rows.map(({ kind, tz, ...row }) => ({ ...row, tz: kind === 'simple' ? 'UTC' : tz }));
}
