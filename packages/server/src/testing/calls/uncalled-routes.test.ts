import express, { Router } from 'express';
import { expect, test } from 'vitest';
import { uncalledRoutes } from './uncalled-routes.js';

const answer: express.RequestHandler = (_request, response) => void response.end();

test('names methods and paths that no call reaches, those of mounted routers and functions too', async () => {
  const app = express();
  const inner = Router();
  inner.route('/orders/:id').get(answer).delete(answer).all(answer);
  inner.get(['/a', '/b'], answer);
  app.use((_request, _response, next) => next());
  app.use('/v1/:place', inner);
  app.use('/status', answer);
  app.all('/health', answer);
  app.get('/docs/:page', answer);
  app.post('/docs/:page', answer);
  const found = (calls: readonly [method: string, path: string][]) =>
    uncalledRoutes(
      app,
      calls.map(([method, path]) => ({ method, path })),
    );
  expect(await found([])).toEqual([
    'GET /v1/:place/orders/:id',
    'DELETE /v1/:place/orders/:id',
    'GET /v1/:place/a|/b',
    '* /status',
    '* /health',
    'GET /docs/:page',
    'POST /docs/:page',
  ]);
  const called = [
    ['GET', '/v1/x/orders/7?limit=1'],
    ['PUT', '/v1/x/orders/7'],
    ['GET', '/v1/x/b'],
    ['POST', '/status/deep'],
    ['GET', '/health'],
    ['POST', '/docs/x'],
  ] as const;
  expect(await found(called.map(([method, path]) => [method, path]))).toEqual([
    'DELETE /v1/:place/orders/:id',
    'GET /docs/:page',
  ]);
});
