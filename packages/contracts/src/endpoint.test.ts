import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Contract, endpoint, json, text } from './endpoint.js';
import type { Handlers } from './handlers.js';

const contract = {
  show: endpoint({
    method: 'GET',
    path: '/it/{id}',
    summary: 'Show',
    params: z.object({ id: z.string() }),
    responses: { 200: json(z.object({ id: z.string() }), 'It') },
    failures: [],
  }),
  read: endpoint({
    method: 'GET',
    path: '/it',
    summary: 'Read',
    responses: { 200: text('text/plain', 'It') },
    failures: [],
  }),
};

/** Takes handlers as a binder does: contract and context are inferred. */
function handlersOf<C extends Contract, Context>(_: C, handlers: Handlers<C, Context>, __: Context) {
  return handlers;
}

describe('handlers', () => {
  // These are checked by the compiler: the test is not built when a line of it does not hold.
  test('have the types of their endpoints', async () => {
    const handlers = handlersOf(
      contract,
      {
        show: async ({ params, context }) => ({ status: 200, body: { id: params.id + context.suffix } }),
        read: async () => ({ status: 200, body: 'it' }),
      },
      { suffix: '!' },
    );
    const shown = await handlers.show({
      params: { id: '7' },
      query: {},
      body: undefined,
      context: { suffix: '!' },
      signal: new AbortController().signal,
    });
    expect(shown).toEqual({ status: 200, body: { id: '7!' } });
  });

  test('a missing one, a wrong status and a wrong body do not compile', () => {
    const read = async () => ({ status: 200 as const, body: 'it' });
    // @ts-expect-error show is missing
    const missing = handlersOf(contract, { read }, undefined);
    const wrongStatus = handlersOf(
      contract,
      // @ts-expect-error 201 is not declared
      { read, show: async () => ({ status: 201, body: { id: '7' } }) },
      undefined,
    );
    const wrongBody = handlersOf(
      contract,
      // @ts-expect-error an id is a text
      { read, show: async () => ({ status: 200, body: { id: 7 } }) },
      undefined,
    );
    expect([missing, wrongStatus, wrongBody].map((one) => typeof one.read)).toEqual(
      Array(3).fill('function'),
    );
  });
});
