/** The parts of a JSON Schema of settings that forms are built from. */
export interface SettingsSchema {
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly required?: readonly string[];
}

interface SettingSchema extends SettingsSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly SettingSchema[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A field of a form; `path` names the setting, with a dot between the names of an object and its member. */
export interface SettingField {
  readonly path: string;
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'headers' | 'list';
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly choices: readonly string[];
  readonly initial: string;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
}

/** Fields of the settings, in the order of the schema; an object is replaced by its members. */
export function fieldsOf(
  schema: SettingsSchema,
  secrets: readonly string[] = [],
  prefix = '',
): SettingField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, given]) => {
    const path = `${prefix}${name}`;
    const setting = chosen(given);
    if (setting.properties !== undefined) return fieldsOf(setting, secrets, `${path}.`);
    const initial = given.default ?? setting.default;
    return [
      {
        path,
        kind: kindOf(setting),
        // within an object nothing is required: the whole object may be omitted
        isRequired: prefix === '' && schema.required?.includes(name) === true,
        isSecret: secrets.includes(path),
        choices: setting.enum ?? [],
        initial: typeof initial === 'object' || initial === undefined ? '' : String(initial),
        minimum: setting.minimum,
        maximum: setting.maximum,
      },
    ];
  });
}

/** The alternative that people fill in: not null, and text rather than a number or a constant. */
function chosen(schema: SettingSchema): SettingSchema {
  if (schema.anyOf === undefined) return schema;
  const parts = schema.anyOf.filter(({ type }) => type !== 'null');
  return parts.find(({ type }) => type === 'string') ?? parts[0] ?? schema;
}

function kindOf({ type, enum: choices }: SettingSchema): SettingField['kind'] {
  if (choices !== undefined) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'object') return 'headers';
  return type === 'array' ? 'list' : 'text';
}

/**
 * Settings from what was typed, by the paths of the fields: empty fields are omitted, and so is an object without an
 * address. Headers are lines such as `Name: value`; a list has commas between its members.
 */
export function settingsFrom(
  fields: readonly SettingField[],
  typed: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const settings: Record<string, unknown> = {};
  for (const field of fields) {
    const text = (typed[field.path] ?? '').trim();
    const [outer = '', inner] = field.path.split('.');
    if (inner !== undefined && (typed[`${outer}.url`] ?? '').trim() === '') continue;
    if (text === '' && field.kind !== 'flag') continue;
    const value = typedValue(field, text);
    if (inner === undefined) settings[outer] = value;
    else settings[outer] = { ...(settings[outer] as object | undefined), [inner]: value };
  }
  return settings;
}

/** Texts of the fields for stored settings: the inverse of `settingsFrom`. Secrets are not shown, so they are empty. */
export function typedFrom(
  fields: readonly SettingField[],
  settings: object,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.map(({ path, kind, initial }) => {
      const [outer = '', inner] = path.split('.');
      const holder = (settings as Readonly<Record<string, unknown>>)[outer];
      const value =
        inner === undefined ? holder : (holder as Readonly<Record<string, unknown>> | null)?.[inner];
      return [path, value === undefined || value === null ? initial : textOf(kind, value)];
    }),
  );
}

function textOf(kind: SettingField['kind'], value: unknown): string {
  if (kind === 'headers') {
    return Object.entries(value as object)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n');
  }
  return kind === 'list' ? (value as readonly string[]).join(',') : String(value);
}

function typedValue({ kind }: SettingField, text: string): unknown {
  if (kind === 'flag') return text === 'true';
  // what is not a number is sent as it is, so that the service names it
  if (kind === 'number') return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (kind === 'list') return text.split(',').map((part) => part.trim());
  return kind === 'headers' ? headersIn(text) : text;
}

function headersIn(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim(), value.join(':').trim()];
    }),
  );
}

const words: Readonly<Record<string, string>> = {
  url: 'Address (URL)',
  tz: 'Time zone',
  chatId: 'Chat id or @name',
  threadId: 'Thread id',
  serviceKey: 'Integration key',
  key: 'API key',
  userKey: 'User key',
  roomId: 'Room id',
  address: 'E-mail address',
  recipient: 'Phone number or username',
  priorityDown: 'Priority when a check goes down',
  priorityUp: 'Priority when a check comes up',
  down: 'When a check goes down',
  up: 'When a check comes up',
  channels: 'Integrations of the group',
  headers: 'Headers, a line each such as Name: value',
};

/** Name of a setting for people. */
export function labelOf(path: string): string {
  const parts = path.split('.').map((name) => words[name] ?? spelled(name));
  const [first = '', second] = parts;
  return second === undefined ? first : `${first}: ${second.charAt(0).toLowerCase()}${second.slice(1)}`;
}

function spelled(name: string): string {
  const text = name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
