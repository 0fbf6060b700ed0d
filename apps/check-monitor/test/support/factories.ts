import { randomUUID } from 'node:crypto';
import { column, type Database, querySql } from '@certloop/db';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { defaultSettings, newCheck } from '../../src/checks/check.js';
import { deadlineOf } from '../../src/checks/check-timing.js';
import { insertCheck } from '../../src/checks/rows/checks.repository.js';
import type { TestApp } from './app.js';

/** Makes a webhook integration; returns its uuid. */
export function insertTestChannel(app: TestApp, projectId: string, name: string): Promise<string> {
  const settings = { down: { url: 'https://hook.example/' } };
  return createChannel(app.accounts, { projectId, kind: 'webhook', name, settings, isVerified: false });
}

/** Pings stored of a check, shown or not. */
export function countPings(database: Database, uuid: string): Promise<number> {
  return database.read(async (tx) => {
    const text = 'select count(*) as n from pings p join checks c on c.id = p.check_id where c.uuid = $1';
    const [row] = await querySql(tx, { n: column.bigint() }, text, [uuid]);
    return row?.n ?? 0;
  });
}

/** Inserts checks that were pinged just now; the count of their account is left as it is. */
export function insertUpChecks({ accounts }: TestApp, projectId: string, count: number): Promise<void> {
  const createdAt = accounts.clock.now();
  const rows = Array.from({ length: count }, () => {
    const made = newCheck(defaultSettings, {
      projectId,
      uuid: randomUUID(),
      badgeUuid: randomUUID(),
      createdAt,
    });
    const up = { ...made, storedStatus: 'up', lastPing: createdAt } as const;
    return { ...up, alertAfter: deadlineOf(up) };
  });
  return accounts.db.transaction(async (tx) => {
    for (const row of rows) await insertCheck(tx, row);
  });
}
