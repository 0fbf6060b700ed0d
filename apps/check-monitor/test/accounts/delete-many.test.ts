import { executeSql } from '@certloop/db';
import { stretchExcess } from '@certloop/server/testing';
import { expect, test } from 'vitest';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { copyCheck } from '../support/copy-check.js';
import { describeMonitor } from '../support/suite.js';

const count = 5_000;

describeMonitor('a deletion of 5,000 checks with pings, flips and messages', (stage) => {
  let owner: Browser;
  let project: string;

  async function prepare(): Promise<void> {
    owner = await newPerson(stage);
    project = await newProject(owner);
    const settings = { down: { url: 'https://example.org/down' } };
    await owner.send('post', at('/channels'), { kind: 'webhook', name: 'Hook', settings }).expect(201);
    const { uuid } = (await owner.send('post', at('/v3/checks/'), { name: 'job' }).expect(201)).body;
    // each copy needs uuids of its own
    copies += 1;
    await stage.app.database.transaction((tx) =>
      copyCheck(tx, uuid, count - 1, String(copies).padStart(8, '0')),
    );
    await fill();
    // the first commit after it checkpoints all of this
    await stage.app.database.transaction((tx) => executeSql(tx, 'update checks set name = name where 1 = 0'));
    expect(await countRows('notifications')).toBe(10);
  }
  let copies = 0;

  const at = (rest = '') => `/projects/${project}${rest}`;

  /** Gives each check four pings with bodies, a flip, and a message of it. */
  async function fill(): Promise<void> {
    const isPostgres = stage.app.database.dialect.name === 'postgres';
    const [body, uuid] = isPostgres
      ? ["decode(repeat('61', 500), 'hex')", 'gen_random_uuid()']
      : ['zeroblob(500)', "'00000000-0000-4000-8000-' || printf('%012x', c.id)"];
    const statements = [
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 4)
        insert into pings (check_id, slot, n, at, signal, scheme, method, user_agent, body)
        select id, n, n, 1, 'success', 'http', 'GET', '', ${body} from checks cross join numbers
        where project_id = $1`,
      `insert into flips (check_id, at, old_status, new_status, reason, processed_at)
        select id, 1, 'up', 'down', 'fail', 1 from checks where project_id = $1`,
      `insert into notifications (delivery_id, channel_id, check_id, flip_id, status, attempt, created_at, settled_at)
        select ${uuid}, x.id, c.id, f.id, 'down', 1, 1, 1 from checks c
        join flips f on f.check_id = c.id join channels x on x.project_id = c.project_id
        where c.project_id = $1`,
    ];
    await stage.app.database.transaction(async (tx) => {
      for (const statement of statements) await executeSql(tx, statement, [project]);
    });
  }

  const countRows = (table: string) =>
    stage.app.database.read((tx) => executeSql(tx, `select 1 from ${table} limit 10`));

  test.each([
    ['their project', () => owner.send('delete', at()).expect(204)],
    [
      'all that match a filter',
      () => owner.send('post', at('/checks/bulk'), { action: 'delete', filter: {} }).expect(200),
    ],
  ])('gives the event loop turns in between: %s', async (_name, remove) => {
    expect(await stretchExcess(50, remove, prepare)).toBeUndefined();
    for (const table of ['checks', 'pings', 'flips', 'notifications']) expect(await countRows(table)).toBe(0);
  });

  test('gives the event loop turns in between: an integration with its messages', async () => {
    let path = '';
    const prepareChannel = async () => {
      await prepare();
      const { channels } = (await owner.get(at('/channels')).expect(200)).body;
      path = at(`/channels/${channels[0].id}`);
    };
    const remove = () => owner.send('delete', path).expect(204);
    expect(await stretchExcess(50, remove, prepareChannel)).toBeUndefined();
    expect(await countRows('notifications')).toBe(0);
  });
});
