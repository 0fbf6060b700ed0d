import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchDisk } from './disk-metrics.js';
import { createLogger } from './logger.js';
import { createMetrics } from './metrics.js';

const databaseAt = (shown: string, isEmbedded = true) => ({
  dialect: { capabilities: { isEmbedded } },
  shown,
});

test('shows the size of the disk of a database and its free part', async () => {
  const metrics = createMetrics({ logger: createLogger({ service: 'shop', level: 'silent' }) });
  watchDisk(metrics, databaseAt(join(tmpdir(), 'app.sqlite')));
  const { text } = await metrics.scrape();
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  expect(read('database_disk_free_bytes')).toBeGreaterThan(0);
  expect(read('database_disk_size_bytes')).toBeGreaterThanOrEqual(read('database_disk_free_bytes'));
});

test.each([databaseAt('db.test:5432/app', false), databaseAt(':memory:')])(
  'shows no values for a database that is no file: $shown',
  async (database) => {
    const metrics = createMetrics({ logger: createLogger({ service: 'shop', level: 'silent' }) });
    watchDisk(metrics, database);
    const { text } = await metrics.scrape();
    expect(text).toContain('# TYPE database_disk_free_bytes gauge');
    expect(text).not.toMatch(/^database_disk/m);
  },
);
