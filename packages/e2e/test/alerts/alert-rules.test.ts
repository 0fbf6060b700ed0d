import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hasProgram, say } from '@certloop/server/testing';
import { describe, expect, test } from '@jest/globals';

const folder = new URL('../../../../../docker/observability/', import.meta.url);
const file = (name: string) => fileURLToPath(new URL(name, folder));
const judged = hasProgram('promtool', 'the alert rules are not tried') ? test : test.skip;

describe('the alert rules', () => {
  judged('fire on their causes, after a fresh start too, and at no other time', async () => {
    expect(await say('promtool', ['test', 'rules', file('rules.test.yaml')])).toContain('SUCCESS');
  });

  judged('are loaded by a configuration that Prometheus accepts', async () => {
    const said = await say('promtool', ['check', 'config', '--syntax-only', file('prometheus.yaml')]);
    expect(said).toContain('is valid prometheus config file syntax');
  });

  test('each have a case in which they fire', async () => {
    const named = (text: string, pattern: RegExp) =>
      new Set([...text.matchAll(pattern)].map(([, name]) => name));
    const rules = named(await readFile(file('rules.yaml'), 'utf8'), /^ +- alert: (\w+)$/gm);
    const cases = await readFile(file('rules.test.yaml'), 'utf8');
    expect(rules.size).toBeGreaterThan(10);
    const firing = named(cases, /^ {8}alertname: (\w+)\n {8}exp_alerts:(?! \[\]$)/gm);
    expect([...rules].filter((name) => !firing.has(name))).toEqual([]);
  });

  test('are sent to an Alertmanager, and scrape every replica under its own address', async () => {
    const text = await readFile(file('prometheus.yaml'), 'utf8');
    expect(text).toMatch(/^alerting:\n {2}alertmanagers:\n/m);
    for (const job of ['cert-manager', 'check-monitor', 'dummy-ca'])
      expect(text).toMatch(
        new RegExp(`job_name: ${job}\\n.*\\n +dns_sd_configs: \\[\\{ names: \\[${job}\\], type: A`),
      );
  });
});
