import { column, type Database, querySql } from '@certloop/db';
import { createChannel } from '../../src/channels/create-channel.service.js';
import type { TestApp } from './app.js';

/** Makes a webhook integration; returns its uuid. */
export function insertTestChannel(app: TestApp, projectId: string, name: string): Promise<string> {
  return createChannel(app.accounts, { projectId, kind: 'webhook', name, url: 'https://hook.example/' });
}

/** Pings stored of a check, shown or not. */
export function countPings(database: Database, uuid: string): Promise<number> {
  return database.read(async (tx) => {
    const text = 'select count(*) as n from pings p join checks c on c.id = p.check_id where c.uuid = $1';
    const [row] = await querySql(tx, { n: column.bigint() }, text, [uuid]);
    return row?.n ?? 0;
  });
}
