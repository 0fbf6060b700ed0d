import type { Contract, Endpoint } from '@certloop/contracts';
import { createIssuer, createRoot, formatPem } from '@certloop/crypto';
import { z } from 'zod';
import { type Answer, serve } from './certloop.fixture.js';
import { operationTables } from './operations.js';

/** Id of everything that the service of `serveContracts` has, so that commands find all they name by it. */
export const onlyId = '00000000-0000-4000-8000-000000000001';

/** A certificate as PEM, for files and responses that are not looked at closely. */
export async function createPem(): Promise<string> {
  const { certificate } = createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'example' },
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date('2036-01-01T00:00:00Z'),
      serialNumber: 1n,
    }),
  );
  return formatPem('CERTIFICATE', certificate.der);
}

/** All three services in one that answers each operation by an example of what its contract returns. */
export function serveContracts(pem: string) {
  const endpoints = operationTables.flatMap(({ contract }) => Object.values<Endpoint>(contract as Contract));
  return serve((request) => {
    const found = endpoints.find(
      ({ method, path }) => method === request.method && pathOf(path).test(request.path),
    );
    return found === undefined
      ? { status: 404, body: { error: 'not_found', message: `no ${request.method} ${request.path}` } }
      : answerOf(found, pem);
  });
}

const pathOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

function answerOf({ responses }: Endpoint, pem: string): Answer {
  const [status = '200', shape] = Object.entries(responses)[0] ?? [];
  const headers = { 'set-cookie': 'session=x; Path=/' };
  if (shape?.kind !== 'json')
    return { status: Number(status), body: shape?.kind === 'empty' ? undefined : 'x', headers };
  const schema = z.toJSONSchema(shape.schema, { io: 'output', unrepresentable: 'any' }) as Schema;
  return { status: Number(status), body: exampleOf(schema, { schema, pem }), headers };
}

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema;
  readonly minimum?: number;
}

interface Examples {
  /** The whole schema, with its definitions. */
  readonly schema: Schema;
  readonly pem: string;
}

/** A value of the schema, in which lists have one entry and ids are the one that there is. */
function exampleOf(schema: Schema, root: Examples, name = ''): unknown {
  if (schema.$ref !== undefined) return exampleOf(definition(schema.$ref, root), root, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choice = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.find(({ type }) => type !== 'null');
  if (choice !== undefined) return exampleOf(choice, root, name);
  switch ([schema.type].flat().find((type) => type !== 'null')) {
    case 'object':
      return Object.fromEntries(membersOf(schema).map(([key, each]) => [key, exampleOf(each, root, key)]));
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, root, name)];
    case 'string':
      return /pem$/i.test(name) ? root.pem : textOf(schema, name);
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/** Also those of a record whose names are listed. */
function membersOf({ properties = {}, propertyNames, additionalProperties }: Schema): [string, Schema][] {
  const names = propertyNames?.enum ?? [];
  return [
    ...Object.entries(properties),
    ...names.map((name): [string, Schema] => [String(name), additionalProperties ?? {}]),
  ];
}

function definition(ref: string, { schema }: Examples): Schema {
  return ref === '#' ? schema : (schema.$defs?.[ref.replace('#/$defs/', '')] ?? {});
}

function textOf({ format }: Schema, name: string): string {
  if (format === 'date-time') return '2026-01-02T03:04:05.000Z';
  if (/url$/i.test(name)) return 'http://127.0.0.1:2/x';
  return format === 'uuid' || /^(id|uuid)$|Id$/.test(name) ? onlyId : 'x';
}
