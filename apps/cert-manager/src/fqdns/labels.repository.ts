import { column, placeholders, querySql, type Tx } from '@certloop/db';
import type { EventLabels } from '../events/notices.service.js';
import { labelLines, labelsView } from './labels.js';

/** Owner and tags of the FQDNs that have any, by id; at least one id is given. */
export async function readLabels(
  tx: Tx,
  fqdnIds: readonly string[],
): Promise<ReadonlyMap<string, EventLabels>> {
  const columns = {
    id: column.uuid(),
    owner: column.text().nullable(),
    tags: column.json<readonly string[]>().nullable(),
  };
  const text = `select id, owner, tags from fqdns
    where id in (${placeholders(fqdnIds.length)}) and (owner is not null or tags is not null)`;
  const rows = await querySql(tx, columns, text, fqdnIds);
  return new Map(
    rows.map(({ id, ...labels }) => [id, { view: labelsView(labels), lines: labelLines(labels) }]),
  );
}
