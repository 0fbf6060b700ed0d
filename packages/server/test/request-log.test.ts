import { Writable } from 'node:stream';
import express from 'express';
import request from 'supertest';
import { expect, test } from 'vitest';
import { createLogger, noteRoute, requestLog } from '../src/observability/logger.js';

/** Level of the line of one request whose route and status are those given; undefined when no line was written. */
async function levelOf(route: string, status: number, level: string): Promise<unknown> {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const app = express();
  app.use(requestLog(createLogger({ service: 'shop', level, destination })));
  app.use((_, response) => {
    noteRoute(response, route);
    response.sendStatus(status);
  });
  await request(app).get('/');
  return lines.length === 0 ? undefined : JSON.parse(lines[0] ?? '').level;
}

test.each([
  ['/health', 200, 'debug'],
  ['/health/ready', 200, 'debug'],
  ['/health/live', 200, 'debug'],
  ['/metrics', 200, 'debug'],
  ['/metrics/', 200, 'debug'],
  ['/status/', 200, 'debug'],
  ['/health/ready', 503, 'info'],
  ['/metrics', 401, 'info'],
  ['/spaces', 200, 'info'],
  ['/healthy', 200, 'info'],
  ['/certificate/{serial}/status', 200, 'info'],
])('a request to %s answered with %d has a line of the level %s', async (route, status, level) => {
  expect(await levelOf(route, status, 'debug')).toBe(level);
  expect(await levelOf(route, status, 'info')).toBe(level === 'debug' ? undefined : level);
});
