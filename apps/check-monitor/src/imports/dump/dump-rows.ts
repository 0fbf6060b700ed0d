import { z } from 'zod';
import { duration, instant, primaryKey, textUpTo, uuid } from './dump-values.js';

// Rows as the models of Healthchecks at 29b5ec25 write them; fields that nothing here needs are omitted. A field that
// an older version lacks has the default of its model.

const user = z.object({ email: z.string().max(254), date_joined: instant });

const profile = z.object({
  user: primaryKey,
  check_limit: z.int().min(0),
  ping_log_limit: z.int().min(1),
  reports: z.string().default('off'),
  nag_period: duration.default(0),
  totp: z.string().nullish(),
  tz: z.string().default('UTC'),
});

const project = z.object({
  code: uuid,
  name: textUpTo(200),
  owner: primaryKey,
  api_key: z.string(),
  api_key_readonly: z.string(),
  badge_key: textUpTo(150).min(1, 'is empty'),
  ping_key: textUpTo(64).nullable(),
});

const member = z.object({
  user: primaryKey,
  project: primaryKey,
  role: z.enum(['r', 'w', 'm']),
  transfer_request_date: z.string().nullish(),
});

const credential = z.object({ user: primaryKey });

const status = z.enum(['up', 'down', 'new', 'paused']);

const check = z.object({
  name: textUpTo(100),
  slug: textUpTo(100),
  tags: textUpTo(500),
  code: uuid,
  desc: textUpTo(Number.MAX_SAFE_INTEGER),
  project: primaryKey,
  created: instant,
  kind: z.enum(['simple', 'cron', 'oncalendar']),
  timeout: duration,
  grace: duration,
  schedule: textUpTo(100),
  tz: textUpTo(36),
  filter_subject: z.boolean(),
  filter_body: z.boolean(),
  filter_http_body: z.boolean().default(false),
  filter_default_fail: z.boolean().default(false),
  start_kw: textUpTo(200).default(''),
  success_kw: textUpTo(200),
  failure_kw: textUpTo(200),
  methods: z.enum(['', 'POST']),
  manual_resume: z.boolean(),
  badge_key: uuid,
  n_pings: z.int().min(0),
  last_ping: instant.nullable(),
  last_start: instant.nullable(),
  last_start_rid: uuid.nullish().transform((value) => value ?? null),
  last_duration: duration.nullable(),
  status,
});

const channel = z.object({
  name: textUpTo(100),
  code: uuid,
  project: primaryKey,
  created: instant,
  kind: z.string(),
  value: z.string(),
  email_verified: z.boolean(),
  disabled: z.boolean(),
  last_notify: instant.nullable(),
  last_notify_duration: duration.nullable(),
  last_error: textUpTo(Number.MAX_SAFE_INTEGER),
  checks: z.array(primaryKey),
});

const flip = z.object({
  owner: primaryKey,
  created: instant,
  processed: instant.nullable(),
  old_status: status,
  new_status: status,
  reason: z.enum(['', 'timeout', 'fail']).default(''),
});

const models = {
  'auth.user': user,
  'accounts.profile': profile,
  'accounts.project': project,
  'accounts.member': member,
  'accounts.credential': credential,
  'api.check': check,
  'api.channel': channel,
  'api.flip': flip,
} as const;

/** Kinds of rows that the import reads. */
export type ModelName = keyof typeof models;

/** A row of a kind: its number and its fields. */
export type DumpRow<Name extends ModelName> = { readonly pk: number } & z.output<(typeof models)[Name]>;

const envelope = z.object({ model: z.string(), pk: z.unknown(), fields: z.looseObject({}) });

export type ReadRow =
  | { readonly [Name in ModelName]: { readonly model: Name; readonly row: DumpRow<Name> } }[ModelName]
  /** Of a kind that the import does not read. */
  | { readonly model: 'other'; readonly name: string }
  | { readonly model: 'faulty'; readonly fault: string };

/** Reads an element of the array in a dump; a fault names row, field and reason, never a value. */
export function readRow(element: unknown): ReadRow {
  const outer = envelope.safeParse(element);
  if (!outer.success)
    return { model: 'faulty', fault: 'an element is not a row: it needs model, pk and fields' };
  const { model, pk, fields } = outer.data;
  if (!isModel(model)) return { model: 'other', name: model };
  const number = primaryKey.safeParse(pk);
  if (!number.success) return { model: 'faulty', fault: `a row of ${model}: pk: is not a whole number` };
  const inner = models[model].safeParse(fields);
  if (inner.success) return { model, row: { pk: number.data, ...inner.data } } as ReadRow;
  const [issue] = inner.error.issues;
  return { model: 'faulty', fault: `${model} ${number.data}: ${issue?.path.join('.')}: ${issue?.message}` };
}

function isModel(name: string): name is ModelName {
  return name in models;
}
