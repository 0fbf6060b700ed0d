import { addColumns, column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const checkStates = defineTable('check_states', {
  columns: {
    checkId: column.bigint().primary(),
    revision: column.bigint(),
    pingCount: column.bigint(),
    storedStatus: column.word(6),
    lastPing: column.preciseInstant().nullable(),
    lastStart: column.preciseInstant().nullable(),
    lastStartRunId: column.uuid().nullable(),
    lastDuration: column.bigint().nullable(),
    alertAfter: column.preciseInstant().nullable(),
  },
  indexes: [{ columns: ['alertAfter'], where: 'alert_after is not null' }],
  references: [{ columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' }],
});

// nullable at first on the way back, as there may be checks
const columnsBefore = {
  storedStatus: column.word(6).nullable(),
  lastPing: column.preciseInstant().nullable(),
  lastStart: column.preciseInstant().nullable(),
  lastStartRunId: column.uuid().nullable(),
  lastDuration: column.bigint().nullable(),
  alertAfter: column.preciseInstant().nullable(),
  pingCount: column.bigint().nullable(),
};

const moved = [
  'ping_count',
  'stored_status',
  'last_ping',
  'last_start',
  'last_start_run_id',
  'last_duration',
  'alert_after',
];

/** Pings change a narrow row with one index instead of a wide one with seven. */
export const separateStates: Migration = {
  name: '0004-check-states',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, [checkStates]);
    // room in each page for the next version of its rows, so that these need no new entries in indexes
    if (dialect.name === 'postgres') await runner.query('alter table check_states set (fillfactor = 70)');
    await runner.query(`insert into check_states (check_id, revision, ${moved.join(', ')})
      select id, 0, ${moved.join(', ')} from checks order by id`);
    await runner.query('drop index ix_checks_alert_after');
    for (const name of moved) await runner.query(`alter table checks drop column ${name}`);
  },
  down: async (runner, dialect) => {
    await addColumns(runner, dialect, 'checks', columnsBefore);
    const copies = moved.map((name) => `${name} = s.${name}`).join(', ');
    await runner.query(`update checks set ${copies} from check_states s where s.check_id = checks.id`);
    for (const name of ['stored_status', 'ping_count']) {
      const added = (await runner.getTable('checks'))?.findColumnByName(name);
      if (added === undefined) throw new Error(`checks.${name} is missing`);
      await runner.changeColumn('checks', added, Object.assign(added.clone(), { isNullable: false }));
    }
    await runner.query(
      'create index ix_checks_alert_after on checks (alert_after) where alert_after is not null',
    );
    await dropTables(runner, [checkStates]);
  },
};
