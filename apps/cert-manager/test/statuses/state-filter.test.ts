import { randomUUID } from 'node:crypto';
import { fqdnStates } from '@certloop/contracts';
import { type Database, insertMany, querySql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import { fqdns } from '../../src/fqdns/fqdns.repository.js';
import { insertSpace } from '../../src/spaces/spaces.repository.js';
import { type ComputedStatus, stateAt } from '../../src/statuses/computed-status.js';
import {
  type FqdnStatusRow,
  fqdnStatuses,
  noDate,
  stateCondition,
  storeStatuses,
} from '../../src/statuses/statuses.repository.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(now.getTime() + ms);

describeEachDialect('the filter by state in SQL', (open) => {
  let database: Database;
  let rows: FqdnStatusRow[];
  beforeAll(async () => {
    ({ database } = await open(schema));
    const spaceId = randomUUID();
    const edges = [null, at(-1), now, at(1), at(86_400_000)];
    const statuses = edges.flatMap((expiresAt) =>
      edges.flatMap((attentionAt) =>
        ([null, 'renewal'] as const).map((problem) => ({ expiresAt, attentionAt, problem })),
      ),
    );
    rows = statuses.map(({ expiresAt, attentionAt, problem }, index) => ({
      id: randomUUID(),
      spaceId,
      fqdn: `host-${index}.example.org`,
      unicodeName: null,
      labels: null,
      renewalEnabled: true,
      providerId: null,
      outlook: 'planned',
      certificateId: expiresAt === null ? null : randomUUID(),
      notBefore: expiresAt === null ? null : at(-86_400_000),
      expiresAt: expiresAt ?? noDate,
      renewAt: noDate,
      attentionAt: attentionAt ?? noDate,
      problem,
      problemAt: problem && now,
      problemReason: problem && 'the CA is away',
      requestFailedAt: null,
      requestFailure: null,
      client: null,
      lineages: null,
      updatedAt: now,
    }));
    await database.transaction(async (tx) => {
      await insertSpace(tx, {
        id: spaceId,
        name: 'space',
        description: '',
        createdAt: now,
        unwatchedSince: null,
        requestKey: null,
        requestHash: null,
      });
      const added = {
        description: '',
        renewAfterPermille: null,
        expiryAcceptedUntil: null,
        owner: null,
        tags: null,
        createdAt: now,
      };
      await insertMany(
        tx,
        fqdns,
        rows.map(({ id, fqdn }) => ({ id, spaceId, fqdn, providerId: null, renewalEnabled: true, ...added })),
      );
      await storeStatuses(tx, rows);
    });
  });

  const computedOf = (row: FqdnStatusRow): ComputedStatus => ({
    ...row,
    expiresAt: row.certificateId === null ? null : row.expiresAt,
    attentionAt: row.attentionAt.getTime() === noDate.getTime() ? null : row.attentionAt,
    renewAt: null,
  });

  test.each(fqdnStates)('finds FQDNs that are %s by the rule, at every boundary', async (state) => {
    const text = `select id from fqdn_standings where ${stateCondition(state, '$1')} order by id`;
    const found = await database.read((tx) => querySql(tx, fqdnStatuses.columns, text, [now]));
    const expected = rows.filter((row) => stateAt(computedOf(row), now) === state);
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id).sort());
    expect(expected.length).toBeGreaterThan(0);
  });

  test('assigns one state to each FQDN', async () => {
    const parts = fqdnStates.map((state) => `case when ${stateCondition(state, '$1')} then 1 else 0 end`);
    const text = `select id from fqdn_standings where ${parts.join(' + ')} <> 1`;
    expect(await database.read((tx) => querySql(tx, fqdnStatuses.columns, text, [now]))).toEqual([]);
  });

  test('reads the stored value', async () => {
    const text = 'select * from fqdn_standings';
    const stored = await database.read((tx) => querySql<FqdnStatusRow>(tx, fqdnStatuses.columns, text));
    const byId = (one: FqdnStatusRow, other: FqdnStatusRow) => (one.id < other.id ? -1 : 1);
    expect(stored.sort(byId)).toEqual([...rows].sort(byId));
  });
});
