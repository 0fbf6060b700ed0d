import type { Migration } from '@certloop/db';

type Runner = Parameters<Migration['up']>[0];

/** Badge keys of projects that came from Healthchecks need not be uuids: its first project of a user has 30 characters. */
export const widenBadgeKeys: Migration = {
  name: '0009-badge-keys',
  up: async (runner, dialect) => {
    if (dialect.name === 'postgres') {
      await runner.query('alter table projects alter column badge_key type varchar(150) collate "C"');
    } else await changeLength(runner, '150');
  },
  down: async (runner, dialect) => {
    if (dialect.name === 'postgres') {
      // what is no uuid has no way back: such a project gets a key of its own
      await runner.query(`alter table projects alter column badge_key type uuid using cast(
        case when badge_key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then badge_key else md5(badge_key) end as uuid)`);
    } else await changeLength(runner, '36');
  },
};

/** SQLite can only copy the table. */
async function changeLength(runner: Runner, length: string): Promise<void> {
  const badgeKey = (await runner.getTable('projects'))?.findColumnByName('badge_key');
  if (badgeKey === undefined) throw new Error('projects.badge_key is missing');
  await runner.changeColumn('projects', badgeKey, Object.assign(badgeKey.clone(), { length }));
}
