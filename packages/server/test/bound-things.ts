import { AppError, empty, endpoint, json, NotFound, scalars, stream, text } from '@certloop/contracts';
import { z } from 'zod';
import {
  bind,
  createHttpApp,
  createLogger,
  errorHandler,
  type Listening,
  listen,
  refuseUnknownPath,
} from '../src/index.js';

const thing = z.object({ id: z.string(), name: z.string() });
const contract = {
  listThings: endpoint({
    method: 'GET',
    path: '/things',
    summary: 'List things',
    query: z.object({ limit: scalars.queryInteger(1, 10, 5) }),
    responses: { 200: json(z.array(thing), 'Things') },
    failures: [400],
  }),
  createThing: endpoint({
    method: 'POST',
    path: '/things',
    summary: 'Create a thing',
    body: { kind: 'json', schema: z.object({ name: scalars.line(5), size: z.int().optional() }) },
    responses: { 201: json(thing, 'The thing') },
    failures: [400],
  }),
  countThings: endpoint({
    method: 'GET',
    path: '/things/count',
    summary: 'Count things',
    responses: { 200: text('text/x-count', 'Count') },
    failures: [],
  }),
  getThing: endpoint({
    method: 'GET',
    path: '/things/{id}',
    documented: true,
    summary: 'Show a thing',
    params: z.object({ id: scalars.uuid }),
    responses: { 200: json(thing, 'The thing') },
    failures: [404],
  }),
  deleteThing: endpoint({
    method: 'DELETE',
    path: '/things/{id}',
    summary: 'Delete a thing',
    params: z.object({ id: scalars.uuid }),
    body: { kind: 'json', schema: z.object({ why: z.string() }), optional: true },
    responses: { 204: empty('Gone') },
    failures: [404],
  }),
  uploadThing: endpoint({
    method: 'POST',
    path: '/things/upload',
    summary: 'Upload a thing',
    body: { kind: 'multipart', file: 'thing', fields: z.object({ name: z.string() }) },
    responses: { 201: json(z.object({ bytes: z.int(), name: z.string() }), 'Size') },
    failures: [400, 413],
  }),
  echo: endpoint({
    method: 'POST',
    path: '/echo/',
    summary: 'Give the bytes back',
    body: { kind: 'raw' },
    responses: { 200: { kind: 'bytes', contentType: 'application/octet-stream', description: 'Bytes' } },
    failures: [413],
  }),
  countOut: endpoint({
    method: 'GET',
    path: '/numbers/{last}',
    summary: 'Count out, piece by piece',
    params: z.object({ last: z.string() }),
    responses: { 200: stream(['text/plain', 'text/csv'], 'Numbers') },
    failures: [400],
  }),
  listMany: endpoint({
    method: 'GET',
    path: '/many/{count}',
    summary: 'List so many things',
    params: z.object({ count: z.string() }),
    responses: { 200: json(z.array(thing), 'Things') },
    failures: [],
  }),
  waitLong: endpoint({
    method: 'GET',
    path: '/wait',
    summary: 'Wait until the caller is gone',
    responses: { 200: empty('Nothing') },
    failures: [],
  }),
  later: endpoint({
    method: 'GET',
    path: '/later',
    summary: 'Not there yet',
    responses: { 200: empty('Nothing') },
    failures: [],
  }),
};

/** What the tests see and change of the service. */
export interface Things {
  readonly lines: string[];
  /** What counting things waits for. */
  counting: Promise<void>;
  /** Whether an answer in pieces came to its end, or was given up. */
  isEnded: boolean;
}

/** Numbers up to the last; fails at -1, before the first one, and at 3. */
async function* numbersTo(last: number, things: Things): AsyncGenerator<string> {
  try {
    if (last < 0) throw new AppError('invalid_input', 'nothing to count');
    for (let number = 1; number <= last; number += 1) {
      if (last === 3 && number === 3) throw new Error('lost count');
      yield `${number}\n`;
    }
  } finally {
    things.isEnded = true;
  }
}

/** So many things, each made when it is taken; the last of 4,000 fails. */
export function* thingsUpTo(count: number, things: Things): Generator<{ id: string; name: string }> {
  try {
    for (let number = 1; number <= count; number += 1) {
      if (number === 4000 && count === 4000) throw new Error('lost count');
      yield { id: String(number), name: 'ß "quoted"' };
    }
  } finally {
    things.isEnded = true;
  }
}

export const knownId = '0b0e1c9c-4f5e-4d5c-8d3e-0123456789ab';

/** A service that is bound to a contract with every kind of body and answer. */
export function startThings(things: Things): Promise<Listening> {
  const logger = createLogger({
    service: 't',
    level: 'info',
    destination: { write: (line) => things.lines.push(line) },
  });
  const app = createHttpApp({ logger });
  app.use(thingsRoutes(things));
  app.use(refuseUnknownPath);
  app.use(
    errorHandler({
      logger,
      describe: ({ message, code, fields }) => ({
        contentType: 'application/json',
        body: { message, code, fields },
      }),
    }),
  );
  return listen(app, { host: '127.0.0.1', port: 0 });
}

function thingsRoutes(things: Things) {
  return bind<typeof contract, string, 'later'>(
    contract,
    {
      listThings: async ({ query }) => ({ status: 200, body: [{ id: 'all', name: String(query.limit) }] }),
      createThing: async ({ body }) => ({
        status: 201,
        body: { id: knownId, name: body.name },
        headers: { Location: `/things/${knownId}` },
      }),
      countThings: async () => {
        await things.counting;
        return { status: 200, body: '42' };
      },
      getThing: async ({ params, context }) => {
        if (params.id !== knownId) throw new NotFound('thing not found');
        return { status: 200, body: { id: knownId, name: context } };
      },
      deleteThing: async ({ body }) => {
        if (body?.why === 'fault') throw new Error('password=hunter2');
        return { status: 204, body: undefined };
      },
      uploadThing: async ({ body }) => ({
        status: 201,
        body: { bytes: body.file.bytes.length, name: body.fields.name },
      }),
      echo: async ({ body }) => ({ status: 200, body }),
      listMany: async ({ params }) => ({ status: 200, body: thingsUpTo(Number(params.count), things) }),
      waitLong: async ({ signal }) => {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        return { status: 200, body: undefined };
      },
      countOut: async ({ params }) => ({
        status: 200,
        body: numbersTo(Number(params.last), things),
        ...(params.last === '5' && { headers: { 'Content-Type': 'text/csv' } }),
      }),
    },
    {
      context: ({ request: { headers } }) => {
        if (headers['x-refuse'] !== undefined) throw new AppError('forbidden', 'refused first');
        return 'caller';
      },
      pending: ['later'],
      bodyBytes: 1000,
      compressed: new Set(['listMany', 'getThing']),
      fileBytes: { uploadThing: 10 },
      answerMs: (operation) => (operation === 'countThings' ? 50 : 10_000),
    },
  );
}
