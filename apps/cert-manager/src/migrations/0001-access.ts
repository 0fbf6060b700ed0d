import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const users = defineTable('users', {
  columns: {
    id: column.uuid().primary(),
    username: column.word(64),
    usernameKey: column.word(64),
    email: column.word(254),
    emailKey: column.word(254),
    passwordHash: column.text(),
    isAdmin: column.boolean(),
    enabled: column.boolean(),
    createdAt: column.instant(),
  },
  indexes: [
    { columns: ['usernameKey'], unique: true },
    { columns: ['emailKey'], unique: true },
    { columns: ['createdAt', 'id'] },
  ],
});

const setupMarks = defineTable('setup_marks', {
  columns: { name: column.word(64).primary(), at: column.instant() },
});

const sessions = defineTable('sessions', {
  columns: {
    id: column.uuid().primary(),
    secretHash: column.word(64),
    userId: column.uuid(),
    createdAt: column.instant(),
    lastUsedAt: column.instant(),
    expiresAt: column.instant(),
  },
  indexes: [
    { columns: ['secretHash'], unique: true },
    { columns: ['userId'] },
    { columns: ['expiresAt'] },
    { columns: ['lastUsedAt'] },
  ],
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

const apiTokens = defineTable('api_tokens', {
  columns: {
    id: column.word(8).primary(),
    secretHash: column.word(64),
    userId: column.uuid(),
    name: column.text(),
    scope: column.word(16),
    spaceIds: column.json<unknown>().nullable(),
    allowedCidrs: column.json<unknown>(),
    expiresAt: column.instant(),
    createdAt: column.instant(),
    lastUsedAt: column.instant().nullable(),
    lastUsedIp: column.word(45).nullable(),
  },
  indexes: [{ columns: ['userId', 'createdAt', 'id'] }],
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

const permissionGroups = defineTable('permission_groups', {
  columns: {
    id: column.uuid().primary(),
    name: column.text(),
    description: column.text(),
    permission: column.word(16),
    allSpaces: column.boolean(),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['createdAt', 'id'] }],
});

const permissionGroupMembers = defineTable('permission_group_members', {
  columns: { groupId: column.uuid().primary(), userId: column.uuid().primary() },
  indexes: [{ columns: ['userId'] }],
  references: [
    { columns: ['groupId'], table: 'permission_groups', onDelete: 'CASCADE' },
    { columns: ['userId'], table: 'users', onDelete: 'CASCADE' },
  ],
});

const permissionGroupSpaces = defineTable('permission_group_spaces', {
  columns: { groupId: column.uuid().primary(), spaceId: column.uuid().primary() },
  indexes: [{ columns: ['spaceId'] }],
  references: [{ columns: ['groupId'], table: 'permission_groups', onDelete: 'CASCADE' }],
});

const auditLogs = defineTable('audit_logs', {
  columns: {
    id: column.key(),
    entryId: column.uuid(),
    timestamp: column.instant(),
    action: column.word(64),
    resourceType: column.word(64),
    resourceId: column.uuid(),
    spaceId: column.uuid().nullable(),
    userId: column.uuid(),
    username: column.word(64),
    outcome: column.word(16),
    details: column.json<unknown>(),
    ipAddress: column.word(45),
    ipKey: column.word(32),
    userAgent: column.text(),
  },
  indexes: [
    { columns: ['entryId'], unique: true },
    { columns: ['timestamp', 'id'] },
    { columns: ['action', 'id'] },
    { columns: ['resourceId', 'id'] },
    { columns: ['spaceId', 'id'] },
    { columns: ['userId', 'id'] },
  ],
});

const auditClearings = defineTable('audit_clearings', {
  columns: {
    id: column.key(),
    at: column.instant(),
    count: column.integer(),
    firstSeq: column.bigint().nullable(),
    lastSeq: column.bigint().nullable(),
    userId: column.uuid(),
    username: column.word(64),
    ipAddress: column.word(45),
  },
});

const tables = [
  users,
  setupMarks,
  sessions,
  apiTokens,
  permissionGroups,
  permissionGroupMembers,
  permissionGroupSpaces,
  auditLogs,
  auditClearings,
];

/** Accounts, their sessions and tokens, permission groups, and the audit log. */
export const access: Migration = {
  name: '0001-access',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};
