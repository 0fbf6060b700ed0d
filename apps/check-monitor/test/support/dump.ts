import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@certloop/db';
import { hashKey } from '../../src/projects/api-key.js';

/** A row as dumpdata writes it. */
export interface WrittenRow {
  readonly model: string;
  readonly pk: number;
  readonly fields: Record<string, unknown>;
}

/** Writes a dump: the text given, or the rows of another dump as they are changed. */
export async function writeDump(
  source: string,
  change?: (row: WrittenRow) => readonly WrittenRow[],
): Promise<{ readonly file: string }> {
  const folder = process.env['CERTLOOP_TEST_FOLDER'] ?? tmpdir();
  const file = join(await mkdtemp(join(folder, 'dump-')), 'dump.json');
  if (change === undefined) await writeFile(file, source);
  else {
    const rows: WrittenRow[] = JSON.parse(await readFile(source, 'utf8'));
    await writeFile(file, JSON.stringify(rows.flatMap(change)));
  }
  return { file };
}

const tables = [
  'users',
  'projects',
  'api_keys',
  'members',
  'channels',
  'checks',
  'check_states',
  'check_channels',
  'flips',
  'notifications',
];

const second = 1000;

export const flipsPerCheck = 5;

/** What is in a generated dump. */
export interface GeneratedDump {
  readonly file: string;
  readonly uuids: readonly string[];
  readonly slugs: readonly string[];
  readonly keys: readonly string[];
  readonly pingKey: string;
  readonly badgeKey: string;
  readonly mailUuid: string;
}

const keys = [`hcw_${'A'.repeat(28)}`, 'plainKeyOfAnOldProjectForReading'];
const [writeKey = '', readKey = ''] = keys;
const pingKey = 'pingkeypingkeypingkeyp';
const badgeKey = '1f0e3dad-9990-4345-b743-9f8ffa';

type TimeBefore = (seconds: number) => string;

const rowOf = (model: string, pk: number, fields: object) => ({ model, pk, fields });
const uuidOf = (block: number, index: number) =>
  `${String(block).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Writes a dump of one owner with a project of so many checks, each with some flips, and two integrations. */
export async function generateDump(size: number, secret: string, now: Date): Promise<GeneratedDump> {
  const before: TimeBefore = (seconds) => new Date(now.getTime() - seconds * second).toISOString();
  const numbers = Array.from({ length: size }, (_, index) => index + 1);
  const rows = [
    ...ownerRows(before),
    projectRow(secret),
    ...numbers.map((n) => checkRow(n, before)),
    ...channelRows(numbers, before),
    ...numbers.flatMap((n) => flipRows(n, before)),
  ];
  const { file } = await writeDump(JSON.stringify(rows));
  return {
    file,
    uuids: numbers.map((n) => uuidOf(2, n)),
    slugs: numbers.map((n) => `job-${n}`),
    keys,
    pingKey,
    badgeKey,
    mailUuid: uuidOf(4, 0),
  };
}

function ownerRows(before: TimeBefore) {
  const user = { email: 'owner@example.org', date_joined: before(1e6), password: '', username: badgeKey };
  const limits = { check_limit: 10_000, ping_log_limit: 100 };
  const profile = { user: 1, ...limits, reports: 'off', nag_period: '00:00:00' };
  return [rowOf('auth.user', 1, user), rowOf('accounts.profile', 1, profile)];
}

function projectRow(secret: string) {
  return rowOf('accounts.project', 1, {
    code: uuidOf(1, 1),
    name: 'Jobs',
    owner: 1,
    show_slugs: false,
    badge_key: badgeKey,
    ping_key: pingKey,
    api_key: hashKey(writeKey, secret),
    api_key_readonly: readKey,
  });
}

function checkRow(n: number, before: TimeBefore) {
  return rowOf('api.check', n, {
    name: `Job ${n}`,
    slug: `job-${n}`,
    tags: n % 2 === 0 ? 'even' : 'odd',
    desc: 'runs at night',
    project: 1,
    code: uuidOf(2, n),
    badge_key: uuidOf(3, n),
    created: before(9e6),
    kind: 'simple',
    schedule: '* * * * *',
    tz: 'UTC',
    timeout: '1 00:00:00',
    grace: '01:00:00',
    methods: '',
    manual_resume: false,
    n_pings: n,
    status: 'up',
    start_kw: '',
    success_kw: '',
    failure_kw: '',
    filter_subject: false,
    filter_body: false,
    filter_http_body: false,
    filter_default_fail: false,
    has_confirmation_link: false,
    alert_after: before(-9e4),
    last_ping: before(60),
    last_start: null,
    last_start_rid: null,
    last_duration: '00:00:01',
  });
}

/** Two integrations that all checks notify. */
function channelRows(checks: readonly number[], before: TimeBefore) {
  const mail = { kind: 'email', value: 'ops@example.org', email_verified: true };
  const hook = { kind: 'mattermost', value: 'https://chat.example.org/hooks/x', email_verified: false };
  const unused = { disabled: false, last_notify: null, last_notify_duration: null, last_error: '', name: '' };
  return [mail, hook].map((channel, index) =>
    rowOf('api.channel', index + 1, {
      ...channel,
      ...unused,
      code: uuidOf(4, index),
      project: 1,
      created: before(8e6),
      checks,
    }),
  );
}

function flipRows(n: number, before: TimeBefore) {
  return Array.from({ length: flipsPerCheck }, (_, index) => {
    const [old_status, new_status] = index % 2 === 0 ? ['up', 'down'] : ['down', 'up'];
    const times = { created: before(1e6 - index * 3600), processed: before(1e6 - index * 3600 - 1) };
    return rowOf('api.flip', n * 10 + index, { owner: n, ...times, old_status, new_status, reason: '' });
  });
}

/** Every row that an import may write. */
export function snapshot(database: Database): Promise<Record<string, unknown[]>> {
  return database.read(async (tx) => {
    const rows: Record<string, unknown[]> = {};
    for (const table of tables) rows[table] = await tx.query(`select * from ${table} order by 1, 2`);
    return rows;
  });
}
