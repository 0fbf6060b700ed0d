import { openDatabase } from '@certloop/db';
import { createTestDatabase, describeOnPostgres } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { beforeEach, expect, test } from 'vitest';
import { indexAuditTexts } from '../../src/audit/search/index-audit-texts.service.js';
import { findTextIndex } from '../../src/audit/search/text-index.repository.js';
import { schema } from '../../src/database.js';

describeOnPostgres('the index of texts in the audit log', () => {
  let logged: { event: string; reason?: string }[];
  const logger = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: (line) => void logged.push(JSON.parse(line) as { event: string }) },
  });
  beforeEach(() => {
    logged = [];
  });
  const events = () => logged.map(({ event }) => event);

  test('is created once, serves searches, and does not change the schema of the migrations', async () => {
    const { database: db, drop } = await createTestDatabase('postgres', schema);
    expect(await findTextIndex(db)).toBe('missing');
    await indexAuditTexts({ db, logger });
    await indexAuditTexts({ db, logger });
    expect(events()).toEqual(['audit.text_index_created']);
    expect(await findTextIndex(db)).toBe('valid');
    expect(await db.schemaDrift()).toEqual([]);
    const plan = await db.transaction(async (tx) => {
      await tx.query('set local enable_seqscan = off');
      return tx.query<object[]>(
        "explain select count(*) from audit_logs where lower(cast(details as text)) like lower('%host-7%')",
      );
    });
    expect(JSON.stringify(plan)).toContain('ix_audit_logs_text');
    await drop();
  });

  test('is created again after an interrupted creation', async () => {
    const { database: db, drop } = await createTestDatabase('postgres', schema);
    await indexAuditTexts({ db, logger });
    await db.transaction((tx) =>
      tx.query("update pg_index set indisvalid = false where indexrelid = 'ix_audit_logs_text'::regclass"),
    );
    expect(await findTextIndex(db)).toBe('left unfinished');
    await indexAuditTexts({ db, logger });
    expect(await findTextIndex(db)).toBe('valid');
    await drop();
  });

  test('is omitted, with a line in the log, if the database does not permit it', async () => {
    const { database, url, drop } = await createTestDatabase('postgres', schema);
    const name = `bound_${Date.now()}`;
    await database.transaction((tx) =>
      tx.query(
        `create role ${name} login password 'x'; grant select, insert on all tables in schema public to ${name}`,
      ),
    );
    const bound = new URL(url);
    Object.assign(bound, { username: name, password: 'x' });
    const db = await openDatabase({ url: bound.href, schema });
    await indexAuditTexts({ db, logger });
    expect(logged).toMatchObject([
      { event: 'audit.text_index_not_created', reason: expect.stringMatching(/permission denied/) },
    ]);
    await db.close();
    await database.transaction((tx) => tx.query(`drop owned by ${name}; drop role ${name}`));
    await drop();
  });
});
