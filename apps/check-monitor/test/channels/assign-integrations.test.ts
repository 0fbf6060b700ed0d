import { column, executeSql, querySql, type Tx } from '@certloop/db';
import { expect, test } from '@jest/globals';
import { countAssignedChecks } from '../../src/channels/assign-channel.repository.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import type { Holder } from '../support/app.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('a new integration', (stage) => {
  const create = (holder: Holder, options: { assign?: boolean } = {}): Promise<string> =>
    createChannel(stage.app.accounts, {
      projectId: holder.keys.projectId,
      kind: 'webhook',
      name: 'hook',
      settings: { down: { url: 'https://hook.example/' } },
      isVerified: false,
      ...options,
    });
  const channelsOf = async (holder: Holder): Promise<string[]> =>
    (await holder.get('/checks/')).body.checks.map((check: { channels: string }) => check.channels);

  test('is assigned to the checks that its project has, and to no other', async () => {
    await stage.ada.check({ name: 'one' });
    await stage.ada.check({ name: 'two' });
    await stage.ben.check({ name: 'of another project' });
    const first = await create(stage.ada);
    expect(await channelsOf(stage.ada)).toEqual([first, first]);
    const second = await create(stage.ada);
    for (const channels of await channelsOf(stage.ada)) {
      expect(channels.split(',').sort()).toEqual([first, second].sort());
    }
    expect(await channelsOf(stage.ben)).toEqual(['']);
  });

  test('is assigned to no check where assign is false', async () => {
    await stage.ada.check();
    await create(stage.ada, { assign: false });
    expect(await channelsOf(stage.ada)).toEqual(['']);
  });

  test('is not assigned to a check that is created later without channels', async () => {
    await create(stage.ada);
    expect(await stage.ada.check()).toMatchObject({ channels: '' });
  });

  test('is assigned to checks that are created or deleted at the same time', async () => {
    await create(stage.ada);
    const doomed = await Promise.all([1, 2, 3, 4].map(() => stage.ada.check()));
    const [uuid] = await Promise.all([
      create(stage.ada),
      ...[1, 2, 3, 4, 5, 6, 7, 8].map(() => stage.ada.check({ channels: '*' })),
      ...doomed.map((check) => stage.ada.delete(`/checks/${check.uuid}`).expect(200)),
    ]);
    const assigned = await channelsOf(stage.ada);
    expect(assigned).toHaveLength(8);
    for (const channels of assigned) expect(channels).toContain(uuid);
  });

  test('is assigned to 100,000 checks while requests are answered', async () => {
    const template = await stage.ada.check();
    await stage.app.database.transaction((tx) => copyCheck(tx, template.uuid, 99_999));
    let isCreated = false;
    const created = create(stage.ada).finally(() => {
      isCreated = true;
    });
    let answers = 0;
    for (; !isCreated; answers += 1) await stage.app.http.get('/api/v3/status/').expect(200);
    const uuid = await created;
    expect(await stage.app.database.read((tx) => countAssignedChecks(tx, uuid))).toBe(100_000);
    expect(answers).toBeGreaterThan(10);
  });
});

/** Inserts copies of a check, in one statement. */
async function copyCheck(tx: Tx, uuid: string, count: number): Promise<void> {
  const [first] = await querySql(
    tx,
    { id: column.bigint() },
    'select max(id) as id from checks where uuid = $1',
    [uuid],
  );
  const isPostgres = tx.dataSource.options.type === 'postgres';
  const uuidOf = (prefix: string) =>
    isPostgres
      ? `cast('${prefix}-0000-4000-8000-' || lpad(to_hex(n), 12, '0') as uuid)`
      : `printf('${prefix}-0000-4000-8000-%012x', n)`;
  const copied = `project_id, unique_key, name, slug, tags, description, kind, timeout_seconds, grace_seconds,
    schedule, tz, manual_resume, methods, start_keywords, success_keywords, failure_keywords, filter_subject,
    filter_body, filter_http_body, filter_default_fail, created_at`;
  const text = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
    insert into checks (uuid, badge_uuid, ${copied})
    select ${uuidOf('11111111')}, ${uuidOf('22222222')}, ${copied}
    from checks cross join numbers where checks.id = $1`;
  await executeSql(tx, text, [first?.id ?? 0]);
}
