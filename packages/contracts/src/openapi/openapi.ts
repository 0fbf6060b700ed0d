import type { BodyShape, Contract, Endpoint, ResponseShape, Schema } from '../endpoint.js';
import { hoistDefinitions, jsonSchemaOf } from './json-schema.js';

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly securitySchemes?: Readonly<Record<string, object>>;
  /** Operations that belong together, by the name of their group, in the order for people. */
  readonly groups: Readonly<Record<string, Contract>>;
  /** Body of an operation's refusals. */
  readonly errorBody: (shape: Endpoint) => ErrorShape;
  /** Statuses of refusal that an operation may have in addition to its own, such as 429. */
  readonly furtherFailures?: (shape: Endpoint) => readonly number[];
}

export interface ErrorShape {
  readonly contentType: string;
  readonly schema: Schema;
}

/**
 * OpenAPI 3.1 document of a contract; a plain object, ready for JSON. Schemas with an `id` in their meta stand
 * once, under `components`.
 */
export function openApiDocument(contract: Contract, api: ApiDescription): object {
  const { document: paths, schemas } = hoistDefinitions(pathsOf(contract, api));
  const { securitySchemes } = api;
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version, description: api.description },
    ...(securitySchemes && { security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) }),
    tags: Object.keys(api.groups).map((name) => ({ name })),
    paths,
    components: { schemas, ...(securitySchemes && { securitySchemes }) },
  };
}

function pathsOf(contract: Contract, api: ApiDescription): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, shape] of Object.entries(contract)) {
    paths[shape.path] = {
      ...paths[shape.path],
      [shape.method.toLowerCase()]: operationOf(operationId, shape, api),
    };
  }
  return paths;
}

function operationOf(operationId: string, shape: Endpoint, api: ApiDescription): object {
  return {
    operationId,
    tags: groupsOf(operationId, api),
    summary: shape.summary,
    ...(shape.public && { security: [] }),
    parameters: [...parametersIn('path', shape.params), ...parametersIn('query', shape.query)],
    ...(shape.body && { requestBody: requestBodyOf(shape.body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(shape.responses).map(([status, response]) => [status, responseOf(response)]),
      ),
      ...Object.fromEntries(
        failuresOf(shape, api).map((status) => [status, failureOf(status, api.errorBody(shape))]),
      ),
    },
  };
}

function failuresOf(shape: Endpoint, { furtherFailures }: ApiDescription): number[] {
  const ofQuery = shape.documented === true ? [] : [400];
  return [...new Set([...ofQuery, ...shape.failures, ...(furtherFailures?.(shape) ?? [])])];
}

function groupsOf(operationId: string, { groups }: ApiDescription): string[] {
  return Object.keys(groups).filter((name) => Object.hasOwn(groups[name] ?? {}, operationId));
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

function parametersIn(place: 'path' | 'query', schema: Schema | undefined): object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema, 'input') as ObjectSchema;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

function requestBodyOf(body: BodyShape): object {
  if (body.kind === 'multipart') {
    const fields = jsonSchemaOf(body.fields, 'input') as ObjectSchema;
    const schema = {
      type: 'object',
      properties: { [body.file]: { type: 'string', format: 'binary' }, ...fields.properties },
      required: [body.file, ...(fields.required ?? [])],
    };
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  const schema = body.schema === undefined ? {} : jsonSchemaOf(body.schema, 'input');
  const required = body.kind === 'json' && body.optional !== true;
  return { required, content: { 'application/json': { schema } } };
}

function responseOf(response: ResponseShape): object {
  switch (response.kind) {
    case 'json':
      return {
        description: response.description,
        content: { 'application/json': { schema: jsonSchemaOf(response.schema, 'output') } },
      };
    case 'text':
      return {
        description: response.description,
        content: { [response.contentType]: { schema: { type: 'string' } } },
      };
    case 'bytes':
      return { description: response.description, content: { [response.contentType]: {} } };
    case 'stream':
      return {
        description: response.description,
        content: Object.fromEntries(
          response.contentTypes.map((type) => {
            const isJson = type === 'application/json' && response.schema !== undefined;
            return [type, isJson ? { schema: jsonSchemaOf(response.schema, 'output') } : {}];
          }),
        ),
      };
    case 'empty':
      return { description: response.description };
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: 'The request is invalid',
  401: 'No valid credential',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflicts with what exists',
  413: 'Too large',
  415: 'Unsupported media type',
  429: 'Too many requests',
  500: 'Server error',
  502: 'Another service failed',
  503: 'Not available now',
  504: 'Another service did not answer in time',
};

function failureOf(status: number, body: ErrorShape): object {
  return {
    description: reasons[status] ?? 'Refused',
    content: { [body.contentType]: { schema: jsonSchemaOf(body.schema, 'output') } },
  };
}
