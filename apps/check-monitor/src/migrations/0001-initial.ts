import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const users = defineTable('users', {
  columns: {
    id: column.uuid().primary(),
    email: column.word(254),
    checkLimit: column.integer().nullable(),
    pingLimit: column.integer().nullable(),
    checkCount: column.integer(),
    createdAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['email'], unique: true }],
});

const projects = defineTable('projects', {
  columns: {
    id: column.uuid().primary(),
    ownerId: column.uuid(),
    name: column.word(200),
    badgeKey: column.uuid(),
    pingKey: column.word(64).nullable(),
    createdAt: column.preciseInstant(),
  },
  indexes: [
    { columns: ['ownerId', 'name'] },
    { columns: ['badgeKey'], unique: true },
    { columns: ['pingKey'], unique: true },
  ],
  references: [{ columns: ['ownerId'], table: 'users', onDelete: 'RESTRICT' }],
});

const apiKeys = defineTable('api_keys', {
  columns: {
    projectId: column.uuid().primary(),
    kind: column.word(10).primary(),
    hash: column.word(73),
    createdAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['hash'], unique: true }],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

const channels = defineTable('channels', {
  columns: {
    id: column.key(),
    uuid: column.uuid(),
    projectId: column.uuid(),
    kind: column.word(20),
    name: column.word(100),
    settings: column.json(),
    createdAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['uuid'], unique: true }, { columns: ['projectId', 'id'] }],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

const checks = defineTable('checks', {
  columns: {
    id: column.key(),
    projectId: column.uuid(),
    uuid: column.uuid(),
    badgeUuid: column.uuid(),
    uniqueKey: column.word(40),
    name: column.word(100),
    slug: column.word(100),
    tags: column.word(500),
    description: column.text(),
    kind: column.word(10),
    timeoutSeconds: column.integer(),
    graceSeconds: column.integer(),
    schedule: column.word(100),
    tz: column.word(36),
    manualResume: column.boolean(),
    methods: column.word(4),
    startKeywords: column.word(200),
    successKeywords: column.word(200),
    failureKeywords: column.word(200),
    filterSubject: column.boolean(),
    filterBody: column.boolean(),
    filterHttpBody: column.boolean(),
    filterDefaultFail: column.boolean(),
    storedStatus: column.word(6),
    lastPing: column.preciseInstant().nullable(),
    lastStart: column.preciseInstant().nullable(),
    lastStartRunId: column.uuid().nullable(),
    lastDuration: column.bigint().nullable(),
    alertAfter: column.preciseInstant().nullable(),
    pingCount: column.bigint(),
    createdAt: column.preciseInstant(),
  },
  indexes: [
    { columns: ['uuid'], unique: true },
    { columns: ['badgeUuid'], unique: true },
    { columns: ['projectId', 'id'] },
    { columns: ['projectId', 'slug'] },
    { columns: ['projectId', 'uniqueKey'] },
    { columns: ['alertAfter'], where: 'alert_after is not null' },
  ],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

const checkChannels = defineTable('check_channels', {
  columns: {
    checkId: column.bigint().primary(),
    channelId: column.bigint().primary(),
  },
  indexes: [{ columns: ['channelId'] }],
  references: [
    { columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' },
    { columns: ['channelId'], table: 'channels', onDelete: 'CASCADE' },
  ],
});

const flips = defineTable('flips', {
  columns: {
    id: column.key(),
    checkId: column.bigint(),
    at: column.preciseInstant(),
    oldStatus: column.word(6),
    newStatus: column.word(6),
    reason: column.word(10),
    processedAt: column.preciseInstant().nullable(),
  },
  indexes: [
    { columns: ['checkId', 'id'] },
    { columns: ['id'], where: 'processed_at is null', name: 'ix_flips_unprocessed' },
  ],
  references: [{ columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' }],
});

const pings = defineTable('pings', {
  columns: {
    checkId: column.bigint().primary(),
    n: column.bigint().primary(),
    at: column.preciseInstant(),
    signal: column.word(7),
    scheme: column.word(10),
    remoteAddr: column.word(45).nullable(),
    method: column.word(10),
    userAgent: column.word(200),
    runId: column.uuid().nullable(),
    exitStatus: column.integer().nullable(),
    body: column.bytes().nullable(),
  },
  references: [{ columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' }],
});

const tables = [users, projects, apiKeys, channels, checks, checkChannels, flips, pings];

/** The first schema. */
export const initial: Migration = {
  name: '0001-initial',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};
