import { setTimeout as pause } from 'node:timers/promises';
import { column, type Database, querySql, type Tx } from '@certloop/db';
import { expect, test } from 'vitest';
import type { CheckSettings } from '../../src/checks/check.js';
import { lockCheck, updateCheck } from '../../src/checks/rows/checks.repository.js';
import { insertPingsLocked } from '../../src/pings/batches/store-pings.service.js';
import { pingTo } from '../support/intake.js';
import { describeMonitor } from '../support/suite.js';

class Signal {
  give: () => void = () => undefined;
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}

describeMonitor('two changes of one check at the same time', (stage) => {
  const shown = async (uuid: string) => (await stage.ada.get(`/checks/${uuid}`)).body;

  /** Begins the other change while the first one holds the check, and commits the first one when the other waits. */
  async function changeTogether<Other>(
    uuid: string,
    first: Partial<CheckSettings>,
    other: () => Promise<Other>,
  ): Promise<Other> {
    const { database } = stage.app;
    const [held, waiting] = [new Signal(), new Signal()];
    const ended = database.transaction(async (tx) => {
      const check = await lockCheck(tx, uuid);
      held.give();
      await waiting.given;
      if (check !== undefined) await updateCheck(tx, check.id, first);
    });
    await held.given;
    const begun = other();
    await untilOneWaits(database);
    waiting.give();
    await ended;
    return begun;
  }

  test('keeps both when an update waits for another one', async () => {
    const { uuid } = await stage.ada.check({ name: 'old', tags: 'old', timeout: 3600 });
    const revised = await changeTogether(uuid, { name: 'new', timeoutSeconds: 600 }, async () =>
      stage.ada.post(`/checks/${uuid}`, { tags: 'new' }),
    );
    expect(revised.body).toMatchObject({ name: 'new', tags: 'new', timeout: 600 });
    expect(await shown(uuid)).toEqual(revised.body);
  });

  test('stores every acknowledged change of many callers', async () => {
    const { uuid } = await stage.ada.check();
    for (let round = 0; round < 20; round += 1) {
      const sent = [{ name: `n${round}` }, { tags: `t${round}` }, { desc: `d${round}` }];
      await Promise.all(sent.map((body) => stage.ada.post(`/checks/${uuid}`, body).expect(200)));
      expect(await shown(uuid)).toMatchObject(Object.assign({}, ...sent));
    }
  });

  test('evaluates a ping that waits for an update with the new settings', async () => {
    const { uuid } = await stage.ada.check();
    const { clock } = stage.app.accounts;
    await changeTogether(uuid, { methods: 'POST' }, () =>
      stage.app.database.transaction((tx) =>
        insertPingsLocked({ clock, pingLimit: 100 }, tx, [{ uuid, ping: pingTo(uuid) }]),
      ),
    );
    const { pings } = (await stage.ada.get(`/checks/${uuid}/pings/`)).body;
    expect(pings).toMatchObject([{ type: 'ign' }]);
  });

  test('creates a check if the one that "unique" matched was renamed in the meantime', async () => {
    const { uuid } = await stage.ada.check({ name: 'old' });
    const sent = { name: 'old', desc: 'x', unique: ['name'] };
    const made = await changeTogether(uuid, { name: 'new' }, async () => stage.ada.post('/checks/', sent));
    expect(made.status).toBe(201);
    expect(await shown(uuid)).toMatchObject({ name: 'new', desc: '' });
  });
});

/** Resolves once another connection waits for a lock. On SQLite a second writer waits for its turn anyway. */
async function untilOneWaits(database: Database): Promise<void> {
  if (database.dialect.name !== 'postgres') return;
  const text = `select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const count = (tx: Tx) => querySql(tx, { waiting: column.bigint() }, text, []);
  for (;;) {
    const [found] = await database.read(count);
    if (found !== undefined && found.waiting > 0) return;
    await pause(10);
  }
}
