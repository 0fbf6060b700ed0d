import {
  addIndexes,
  column,
  createTables,
  type Dialect,
  defineTable,
  dropIndexes,
  dropTables,
  type Migration,
} from '@certloop/db';

const tables = [
  defineTable('fqdn_standings', {
    columns: {
      id: column.uuid().primary(),
      spaceId: column.uuid(),
      fqdn: column.word(253),
      unicodeName: column.text().nullable(),
      renewalEnabled: column.boolean(),
      providerId: column.uuid().nullable(),
      outlook: column.word(16),
      certificateId: column.uuid().nullable(),
      notBefore: column.instant().nullable(),
      expiresAt: column.instant(),
      renewAt: column.instant(),
      attentionAt: column.instant(),
      problem: column.word(16).nullable(),
      problemAt: column.instant().nullable(),
      problemReason: column.text().nullable(),
      requestFailedAt: column.instant().nullable(),
      requestFailure: column.text().nullable(),
      updatedAt: column.instant(),
    },
    indexes: [
      { columns: ['expiresAt', 'id'] },
      { columns: ['renewAt', 'id'] },
      { columns: ['fqdn', 'id'] },
      { columns: ['attentionAt', 'id', 'expiresAt', 'problem'] },
      { columns: ['spaceId', 'expiresAt', 'id'] },
      { columns: ['spaceId', 'renewAt', 'id'] },
      { columns: ['spaceId', 'fqdn', 'id'] },
      { columns: ['spaceId', 'attentionAt', 'id', 'expiresAt', 'problem'] },
      { name: 'ix_fqdn_standings_unfinished', columns: ['spaceId', 'id'], where: 'certificate_id is null' },
      {
        name: 'ix_fqdn_standings_problem',
        columns: ['spaceId', 'expiresAt', 'id'],
        where: 'problem is not null',
      },
    ],
    references: [{ columns: ['id'], table: 'fqdns', onDelete: 'CASCADE' }],
  }),
];

const byCreation = [{ columns: ['createdAt', 'id'] }];

/** How each FQDN stands, for lists and counts. */
export const addStandings: Migration = {
  name: '0029-standings',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, tables);
    await addIndexes(runner, 'fqdns', byCreation);
    await runner.query(filling(dialect));
  },
  down: async (runner) => {
    await dropIndexes(runner, 'fqdns', byCreation);
    await dropTables(runner, tables);
  },
};

/** The word of each FQDN by the rules that decide it later; a test compares both. */
export const outlookInSql = `case
  when q.id is not null and exists (select 1 from policy_refusals p where p.fqdn_id = f.id) then 'forbidden'
  when c.id is null then 'no_certificate'
  when not exists (select 1 from csrs r where r.fqdn_id = f.id) then 'no_csr'
  when coalesce(c.provider_id, f.provider_id) is null then 'no_provider'
  when c.revocation_reason = 'keyCompromise' and c.spki_sha256 = (
    select r.spki_sha256 from csrs r where r.fqdn_id = f.id order by r.position desc limit 1) then 'compromised_key'
  when f.renewal_enabled = false then 'switched_off'
  when exists (select 1 from policy_refusals p where p.fqdn_id = f.id) then 'forbidden'
  when exists (select 1 from providers v where v.id = coalesce(c.provider_id, f.provider_id) and v.enabled = false)
    then 'provider_off'
  else 'planned' end`;

/**
 * A row for each FQDN. SQL cannot draw the moments of renewals, so the moments of attention are near ones: the sweep at
 * the start of the service mends them.
 */
function filling(dialect: Dialect): string {
  const isSqlite = dialect.name === 'sqlite';
  const never = isSqlite ? "'9999-12-31 23:59:59.999'" : "timestamptz '9999-12-31 23:59:59.999+00'";
  const aDayLater = isSqlite
    ? "strftime('%Y-%m-%d %H:%M:%f', q.scheduled_at, '+1 day')"
    : "q.scheduled_at + interval '1 day'";
  const noticed = isSqlite
    ? `strftime('%Y-%m-%d %H:%M:%f',
        julianday(c.expires_at) - min(29, (julianday(c.expires_at) - julianday(c.not_before)) / 3))`
    : "c.expires_at - least(interval '29 days', (c.expires_at - c.not_before) / 3)";
  const earlier = isSqlite ? 'min' : 'least';
  const failed = "t.status = 'failed' and t.certificate_id = c.id";
  const asked = '(c.id is null or j.finished_at > c.created_at)';
  const lastFailure = (what: string) => `(select j.${what} from issuance_jobs j
    where j.fqdn_id = f.id and j.status = 'failed' and ${asked} order by j.created_at desc limit 1)`;
  return `insert into fqdn_standings
      (id, space_id, fqdn, renewal_enabled, provider_id, outlook, certificate_id, not_before, expires_at, renew_at,
       attention_at, problem, problem_at, problem_reason, request_failed_at, request_failure, updated_at)
    select f.id, f.space_id, f.fqdn, f.renewal_enabled, coalesce(c.provider_id, f.provider_id),
      ${outlookInSql},
      c.id, c.not_before, coalesce(c.expires_at, ${never}), coalesce(q.scheduled_at, ${never}),
      case when c.revoked_at is not null then c.revoked_at
        when f.renewal_enabled = true and ${failed} then coalesce(t.finished_at, t.scheduled_at)
        when c.id is null then ${never}
        when q.id is not null then ${earlier}(c.expires_at, ${aDayLater}) else ${noticed} end,
      case when c.revoked_at is not null then 'revoked'
        when f.renewal_enabled = true and ${failed} then 'renewal' end,
      case when c.revoked_at is not null then c.revoked_at
        when f.renewal_enabled = true and ${failed} then coalesce(t.finished_at, t.scheduled_at) end,
      case when c.revoked_at is not null then 'the certificate was revoked'
        when f.renewal_enabled = true and ${failed} then t.reason end,
      ${lastFailure('finished_at')}, ${lastFailure('message')}, f.created_at
    from fqdns f
      left join certificates c on c.fqdn_id = f.id and c.replaced_at is null
      left join renewal_queue q on q.fqdn_id = f.id and q.is_test = false and q.status in ('pending', 'processing')
      left join renewal_queue t on t.id = q.retry_of`;
}
