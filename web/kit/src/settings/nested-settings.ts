export type Settings = Readonly<Record<string, unknown>>;

/** Typed values by the dotted paths of the fields. */
export type Typed = Readonly<Record<string, string>>;

/** A field of a form for settings that lie within each other. */
export interface NestedField {
  /** Dotted path of the setting, such as `challenge.dns.url`. */
  readonly path: string;
  readonly type?: 'text' | 'number' | 'secret' | 'flag' | 'list' | 'choice';
  /** Whether the setting has a meaning beside the others; without it, always. */
  readonly isUsed?: (typed: Typed) => boolean;
}

/** The setting at a dotted path; undefined if there is none. */
export function settingAt(settings: Settings, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    return isObject(value) ? value[key] : undefined;
  }, settings);
}

/** Returns what a form shows of the settings at first; never a secret, nor its mask. */
export function shownSettings(settings: Settings, fields: readonly NestedField[]): Typed {
  return Object.fromEntries(
    fields.map(({ path, type }) => [path, type === 'secret' ? '' : textOf(settingAt(settings, path))]),
  );
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

/**
 * The settings with what was typed. An empty field leaves its setting out, and an empty secret leaves its setting as it
 * is; a field that is not used takes its setting away. Objects that become empty go too, and all others stay.
 */
export function settingsWith(before: Settings, fields: readonly NestedField[], typed: Typed): Settings {
  return fields.reduce((settings, { path, type, isUsed }) => {
    const text = (typed[path] ?? '').trim();
    if (isUsed?.(typed) === false) return withSetting(settings, path.split('.'), undefined);
    if (type === 'secret' && text === '') return settings;
    return withSetting(settings, path.split('.'), storedValue(type, text));
  }, before);
}

function storedValue(type: NestedField['type'], text: string): unknown {
  if (type === 'flag') return text === 'true';
  if (type === 'list') return text === '' ? [] : text.split(/[\s,;]+/);
  if (text === '') return undefined;
  // what is not a number is sent as it is, so that the service names it
  return type === 'number' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function withSetting(settings: Settings, [name = '', ...rest]: readonly string[], value: unknown): Settings {
  const { [name]: before, ...others } = settings;
  const after = rest.length === 0 ? value : withSetting(isObject(before) ? before : {}, rest, value);
  const isGone = after === undefined || (rest.length > 0 && Object.keys(after as Settings).length === 0);
  return isGone ? others : { ...others, [name]: after };
}

function isObject(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
