// The closed lists of words that pages show too, in a file without schemas: a browser loads it without zod.

/** Where the paths of `checkMonitorContract` begin. */
export const checkMonitorBasePath = '/api/v3';

/** Where the paths of `accountContract` begin. */
export const accountBasePath = '/api/account';

export const checkStatuses = ['new', 'up', 'grace', 'down', 'paused'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** How a check expects its pings: after each other, by cron, or by systemd's OnCalendar. */
export const checkKinds = ['simple', 'cron', 'oncalendar'] as const;
export type CheckKind = (typeof checkKinds)[number];

/** Orders of the list of checks: by need, by name, by age. */
export const checkSorts = ['attention', 'name', 'created'] as const;
export type CheckSort = (typeof checkSorts)[number];

/** Actions on many checks at once. */
export const checkActions = [
  'pause',
  'resume',
  'delete',
  'add-tags',
  'remove-tags',
  'add-channels',
  'remove-channels',
] as const;
export type CheckAction = (typeof checkActions)[number];

export const pingTypes = ['success', 'fail', 'start', 'log', 'ign'] as const;
export type PingType = (typeof pingTypes)[number];

/** Roles in a project: an owner everything, a member all but members and the project itself. */
export const projectRoles = ['owner', 'member', 'read-only'] as const;
export type ProjectRole = (typeof projectRoles)[number];

export const keyKinds = ['read-write', 'read-only', 'ping'] as const;
