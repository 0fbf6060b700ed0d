import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { certManagerOpenApi } from '../cert-manager/index.js';
import { checkMonitorOpenApi } from '../check-monitor/index.js';
import { dummyCaOpenApi } from '../dummy-ca/index.js';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { openApiDocument } from './openapi.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { schema: object }> };
  readonly responses: Record<
    string,
    { readonly description: string; readonly content?: Record<string, { readonly schema?: object }> }
  >;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly security?: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, unknown>; readonly securitySchemes?: object };
}

// What a client receives is the text, so that is what is looked at.
const received = (document: object) => JSON.parse(JSON.stringify(document)) as Document;

const documents = [
  ['certificate management', received(certManagerOpenApi()), '2.0.0', ['token', 'session']],
  ['check monitoring', received(checkMonitorOpenApi()), '3', ['apiKey', 'session']],
  ['dummy certificate authority', received(dummyCaOpenApi()), '1.0.0', []],
] as const;

const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

function referencesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' ? [String(value)] : referencesIn(value),
  );
}

/** Bytes need no schema (OpenAPI 3.1 §4.8.14.3), nor does what is sent as it comes. */
const isText = (type: string) => type === 'application/json' || type === 'application/problem+json';

const schemaTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Returns what of a schema is not as JSON Schema 2020-12 requires it. */
function faultsOfSchema(schema: unknown): string[] {
  if (schema === undefined || typeof schema === 'boolean') return [];
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return ['is not a schema'];
  const { type, properties, required, items, anyOf, oneOf, allOf, additionalProperties } = schema as Record<
    string,
    unknown
  >;
  const types = type === undefined ? [] : [type].flat();
  const members = Object.entries((properties ?? {}) as Record<string, unknown>);
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (list === undefined ? [] : (list as unknown[])));
  const unknown = types.filter((one) => !schemaTypes.includes(String(one))).map((one) => `type ${one}`);
  const missing = ((required ?? []) as string[]).filter(
    (name) => !members.some(([member]) => member === name),
  );
  return [
    ...unknown,
    ...(members.length === 0 ? [] : missing.map((name) => `required ${name}`)),
    ...(Object.hasOwn(schema, 'nullable') ? ['nullable, which is a word of 3.0'] : []),
    ...members.flatMap(([name, member]) => faultsOfSchema(member).map((fault) => `${name}: ${fault}`)),
    ...[items, additionalProperties, ...parts].flatMap(faultsOfSchema),
  ];
}

describe.each(documents)('%s', (_, document, version, schemes) => {
  test('has a title and a description', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.title).not.toBe('');
    expect(document.info.version).toBe(version);
    expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(schemes);
    expect((document.security ?? []).flatMap((one) => Object.keys(one))).toEqual(schemes);
  });

  test('names every operation once', () => {
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    expect(ids.length).toBeGreaterThan(3);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has no two paths that differ only in the names of their parameters', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  test('describes every operation, and assigns it to a group', () => {
    const groups = document.tags.map(({ name }) => name);
    expect(new Set(groups).size).toBe(groups.length);
    for (const { path, method, operation } of operationsOf(document)) {
      expect([path, method, operation.tags.length]).toEqual([path, method, 1]);
      expect(groups).toContain(operation.tags[0]);
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    }
    expect(new Set(operationsOf(document).flatMap(({ operation }) => operation.tags)).size).toBe(
      groups.length,
    );
  });

  test('has a schema for every text that is received or sent', () => {
    for (const { path, method, operation } of operationsOf(document)) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)];
      for (const [type, media] of bodies.flatMap((body) => Object.entries(body?.content ?? {}))) {
        expect([path, method, type]).toEqual([
          path,
          method,
          expect.stringMatching(/^[a-z]+\/[-.+\w]+(?:; charset=utf-8)?$/),
        ]);
        if (!isText(type)) continue;
        expect([path, method, type, typeof media.schema]).toEqual([path, method, type, 'object']);
      }
      for (const { schema } of operation.parameters) expect(faultsOfSchema(schema)).toEqual([]);
    }
  });

  test('has only valid schemas', () => {
    const bodies = operationsOf(document).flatMap(({ operation }) => [
      operation.requestBody,
      ...Object.values(operation.responses),
    ]);
    const schemas = bodies.flatMap((body) => Object.values(body?.content ?? {}).map((media) => media.schema));
    const faults = [...schemas, ...Object.values(document.components.schemas)].flatMap(faultsOfSchema);
    expect(faults).toEqual([]);
  });

  test('declares exactly the parameters of each path', () => {
    for (const { path, operation } of operationsOf(document)) {
      const declared = operation.parameters.filter((one) => one.in === 'path');
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect([path, declared.map((one) => one.name)]).toEqual([path, names]);
      expect(declared.every((one) => one.required)).toBe(true);
    }
  });

  test('describes every response, by status', () => {
    for (const { path, method, operation } of operationsOf(document)) {
      const statuses = Object.keys(operation.responses);
      expect([path, method, statuses.some((status) => /^2\d\d$/.test(status))]).toEqual([path, method, true]);
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(response.description).not.toBe('');
      }
    }
  });

  test('has no missing references and no unused components', () => {
    const used = new Set(referencesIn(document));
    const present = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...used].sort()).toEqual(present.sort());
    expect(used.size).toBeGreaterThan(0);
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  test('allows additional members', () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });
});

describe('details', () => {
  const manager = received(certManagerOpenApi());
  const monitor = received(checkMonitorOpenApi());
  const ca = received(dummyCaOpenApi());

  test('a query integer is an integer with its bounds and default', () => {
    const limit = manager.paths['/audit-logs']?.['get']?.parameters.find((one) => one.name === 'limit');
    expect(limit).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    });
  });

  test('a query flag is a boolean with its default', () => {
    const parameters = manager.paths['/spaces/{id}']?.['delete']?.parameters;
    expect(parameters?.find((one) => one.name === 'deleteFqdns')).toEqual({
      name: 'deleteFqdns',
      in: 'query',
      required: false,
      schema: { type: 'boolean', default: false },
    });
  });

  test('confirm is required and must be the text true', () => {
    expect(manager.paths['/fqdns']?.['delete']?.parameters).toEqual([
      { name: 'confirm', in: 'query', required: true, schema: { type: 'string', const: 'true' } },
    ]);
  });

  test('an upload is a form with a file', () => {
    const upload = manager.paths['/spaces/{spaceId}/fqdns/{fqdnId}/csr']?.['post'];
    expect(upload?.requestBody).toMatchObject({
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            properties: { csr: { format: 'binary' }, fqdn: { type: 'string' } },
            required: ['csr', 'spaceId', 'fqdn'],
          },
        },
      },
    });
  });

  test.each([
    ['refusals of the manager', manager, '/spaces', 'post', '400', 'application/problem+json'],
    ['refusals of the monitor', monitor, '/api/v3/checks/', 'post', '403', 'application/json'],
    ['refusals of a sign-in', monitor, '/api/account/login', 'post', '401', 'application/json'],
    ['a monitor that is not ready', monitor, '/health/ready', 'get', '503', 'application/json'],
    ['a ping', monitor, '/ping/{uuid}', 'post', '200', 'text/html'],
    ['refusals of a ping', monitor, '/ping/{uuid}', 'post', '404', 'text/html'],
    ['refusals of a badge', monitor, '/b/{states}/{badgeUuid}.svg', 'get', '404', 'text/plain'],
    ['refusals of signing', ca, '/csr', 'post', '400', 'application/json'],
    ['other refusals of the CA', ca, '/certificate/{id}', 'get', '404', 'text/plain'],
    ['the root', ca, '/root', 'get', '200', 'application/x-pem-file'],
    ['a picture', manager, '/users/{id}/avatar', 'get', '200', 'image/png'],
    ['a badge', monitor, '/b/{states}/{badgeUuid}.svg', 'get', '200', 'image/svg+xml'],
  ])('%s have their own content type', (_, document, path, method, status, contentType) => {
    const content = document.paths[path]?.[method]?.responses[status]?.content;
    expect(Object.keys(content ?? {})).toEqual([contentType]);
  });

  test.each([
    ['/health', 'get', true],
    ['/auth/login', 'post', true],
    ['/auth/me', 'get', false],
    ['/spaces', 'get', false],
  ])('%s %s needs no credentials: %p', (path, method, open) => {
    expect(manager.paths[path]?.[method]?.security).toEqual(open ? [] : undefined);
  });
});

test('a named schema is defined once, however deep it is used', () => {
  const inner = z.object({ n: z.int() }).meta({ id: 'Inner' });
  const outer = z.object({ one: inner, many: z.array(inner) }).meta({ id: 'Outer' });
  const contract = {
    show: endpoint({
      method: 'POST',
      path: '/it/{id}',
      summary: 'Show it',
      params: z.object({ id: scalars.uuid }),
      body: { kind: 'json', schema: inner, optional: true },
      responses: { 200: json(z.union([outer, inner]), 'It') },
      failures: [],
    }),
  };
  const document = openApiDocument(contract, {
    title: 'It',
    version: '1',
    description: '',
    groups: {},
    errorBody: () => ({ contentType: 'text/plain', schema: z.string() }),
  });
  expect(received(document).components).toEqual({
    schemas: {
      Inner: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      Outer: {
        type: 'object',
        properties: {
          one: { $ref: '#/components/schemas/Inner' },
          many: { type: 'array', items: { $ref: '#/components/schemas/Inner' } },
        },
        required: ['one', 'many'],
      },
    },
  });
});
