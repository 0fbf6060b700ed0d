import { type Database, executeSql, type Tx } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { openAlertStage } from '../support/alerts.js';
import { copyCheck } from '../support/copy-check.js';
import { insertUpChecks } from '../support/factories.js';

const history = 20_000;
const day = 24 * 3600 * 1000;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

// Tables without statistics, as on a fresh install: the server of tests never analyzes a table on its own.
describeEachDialect('statements of the alert loop and of deliveries', (open, dialect) => {
  const statements = new Map<string, Statement>();
  let isRecording = false;
  const stage = openAlertStage(async (schema) => {
    const { database, ...rest } = await open(schema);
    return { ...rest, database: recording(database) };
  });

  /** Records each different statement of transactions and reads. */
  function recording(database: Database): Database {
    const watched =
      <T>(work: (tx: Tx) => Promise<T>) =>
      (tx: Tx) => {
        const runner = tx.queryRunner;
        if (!isRecording || runner === undefined) return work(tx);
        const query = runner.query.bind(runner) as (...call: unknown[]) => Promise<unknown>;
        const note = (text: string, values: readonly unknown[] = [], ...others: unknown[]) => {
          // lists of several lengths are one statement
          const key = text.replaceAll(/[$?]\d*(, ?[$?]\d*)+/g, '…');
          if (!statements.has(key)) statements.set(key, { text, values });
          return query(text, values, ...others);
        };
        Object.assign(runner, { query: note });
        return work(tx);
      };
    return {
      ...database,
      transaction: (work) => database.transaction(watched(work)),
      read: (work) => database.read(watched(work)),
      longRead: (work) => database.longRead(watched(work)),
    };
  }

  /** Messages of the past to each channel, about the checks of the project. */
  async function insertHistory(tx: Tx, projectId: string): Promise<void> {
    const isPostgres = dialect === 'postgres';
    const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${history})`;
    const uuid = isPostgres
      ? "cast('22222222-0000-4000-8000-' || lpad(to_hex(n * 10 + x.id % 10), 12, '0') as uuid)"
      : "printf('22222222-0000-4000-8000-%012x', n * 10 + x.id % 10)";
    const flipsOfPast = `${numbers} insert into flips (check_id, at, old_status, new_status, reason, processed_at)
      select (select min(id) from checks where project_id = $1) + n % 50, n, 'up', 'down', '', n from numbers`;
    await executeSql(tx, flipsOfPast, [projectId]);
    const messages = `${numbers} insert into notifications
      (delivery_id, channel_id, check_id, status, attempt, created_at, settled_at)
      select ${uuid}, x.id, (select min(id) from checks where project_id = $1) + n % 50, 'down', 1, n, n
      from numbers cross join channels x where x.project_id = $1`;
    await executeSql(tx, messages, [projectId]);
  }

  async function planOf(tx: Tx, { text, values }: Statement): Promise<string> {
    const explain = dialect === 'sqlite' ? 'explain query plan' : 'explain';
    const rows: Record<string, string>[] = await tx.query(`${explain} ${text}`, [...values]);
    return rows.map((row) => row['detail'] ?? row['QUERY PLAN']).join('\n');
  }

  test('read no table as a whole, and no messages of the past', async () => {
    const { app, ada } = stage;
    await stage.webhook();
    await stage.channel('slack', { url: `${stage.target.url}/chat` });
    const { projectId } = ada.keys;
    await insertUpChecks(app, projectId, 100);
    const { uuid } = await ada.check({ name: 'Idle' });
    await app.database.transaction(async (tx) => {
      await insertHistory(tx, projectId);
      await copyCheck(tx, uuid, history);
      const assign = `insert into check_channels (check_id, channel_id) select c.id, x.id from checks c
        join channels x on x.project_id = c.project_id where c.project_id = $1 and c.name = ''`;
      await executeSql(tx, assign, [projectId]);
    });
    app.clock.advance(3 * day);
    isRecording = true;
    await app.tick();
    await app.deliver();
    isRecording = false;
    expect(stage.target.requests.filter(({ path }) => path === '/hook')).toHaveLength(100);
    const found: Record<string, string> = {};
    await app.database.transaction(async (tx) => {
      for (const [key, statement] of statements) {
        if (/^\s*(select|with|update|insert|delete)/i.test(key)) found[key] = await planOf(tx, statement);
      }
    });
    expect(Object.keys(found).length).toBeGreaterThan(20);
    // PostgreSQL reads all states of checks where that costs less than to look 50 of them up
    const large =
      dialect === 'sqlite' ? '(notifications|flips|checks|check_states|[nelfc])' : '(notifications|flips)';
    const whole = new RegExp(dialect === 'sqlite' ? `SCAN ${large}\\b(?! USING)` : `Seq Scan on ${large}\\b`);
    const past = /notifications_(channel_id|check_id)_id/;
    expect(Object.entries(found).filter(([, plan]) => whole.test(plan) || past.test(plan))).toEqual([]);
  });
});
