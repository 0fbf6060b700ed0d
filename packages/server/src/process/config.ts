import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** One environment variable: its name, its rule, and a sentence with its unit for people. */
export interface Setting<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: S;
  readonly help: string;
}

export type Settings = Readonly<Record<string, Setting>>;
export type ConfigOf<S extends Settings> = { readonly [K in keyof S]: z.output<S[K]['schema']> };
export type Environment = Readonly<Record<string, string | undefined>>;

export function setting<S extends z.ZodType>(name: string, schema: S, help: string): Setting<S> {
  return { name, schema, help };
}

/** A start that cannot go on; `message` names every fault of the configuration, one a line. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Typed configuration from an environment. A value is that of NAME or the content of the file that NAME_FILE
 * names (one trailing line break dropped); an empty variable counts as absent. Throws ConfigError with all
 * faults at once; a fault names the variable and the rule, never its value.
 */
export function readConfig<S extends Settings>(settings: S, environment: Environment): ConfigOf<S> {
  const faults: string[] = [];
  const entries = Object.entries(settings).map(([key, { name, schema, help }]) => {
    const source = readValue(name, environment);
    if ('fault' in source) {
      faults.push(`${name}: ${source.fault} (${help})`);
      return [key, undefined];
    }
    const result = schema.safeParse(source.value);
    if (!result.success) {
      const wrong = source.value === undefined ? 'is missing' : reasonsOf(result.error);
      faults.push(`${name}: ${wrong} (${help})`);
    }
    return [key, result.data];
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.fromEntries(entries) as ConfigOf<S>;
}

/** A setting as messages name it: with the file that contains its value, if it is in one. */
export function nameSetting(name: string, environment: Environment): string {
  const path = presence(environment[`${name}_FILE`]);
  return path === undefined ? name : `${name} (${path})`;
}

type Source = { readonly value: string | undefined } | { readonly fault: string };

function readValue(name: string, environment: Environment): Source {
  const direct = presence(environment[name]);
  const path = presence(environment[`${name}_FILE`]);
  if (path === undefined) return { value: direct };
  if (direct !== undefined) return { fault: `is set twice, by ${name} and by ${name}_FILE` };
  try {
    return { value: presence(readFileSync(path, 'utf8').replace(/\r?\n$/, '')) };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code;
    return { fault: `the file that ${name}_FILE names cannot be read: ${reason}` };
  }
}

function presence(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function reasonsOf(error: z.ZodError): string {
  return error.issues.map((issue) => issue.message).join(', ');
}

/** Variables that begin with the prefix but are not settings: most likely misspelt. */
export function unknownSettings(prefix: string, settings: Settings, environment: Environment): string[] {
  const known = new Set(Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]));
  return Object.keys(environment).filter((name) => name.startsWith(prefix) && !known.has(name));
}

export function wholeNumber(minimum: number, maximum: number) {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, rule);
}

/** TCP port; 0 lets the system choose a free one. */
export const portNumber = wholeNumber(0, 65_535);

export const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

/** Absolute http or https address, handed on without trailing slashes. */
export const httpAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((text) => text.replace(/\/+$/, ''));

/** The same for an address that paths are put behind: it has no query, no fragment and no credentials. */
export const baseAddress = httpAddress.refine((text) => {
  const { username, password } = new URL(text);
  return !/[?#]/.test(text) && username === '' && password === '';
}, 'must be an address without query, fragment and credentials');

/** Words separated by commas or blanks. */
export const wordList = z.string().transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''));

export const addressRanges = wordList.refine(
  (ranges) => ranges.every((range) => ipaddr.isValid(range) || ipaddr.isValidCIDR(range)),
  'must be addresses or ranges in CIDR notation, separated by commas',
);

export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
