import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hasProgram, say } from '@certloop/server/testing';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../../../../docker/observability/', import.meta.url);
const file = (name: string) => fileURLToPath(new URL(name, folder));
const judged = hasProgram('promtool', 'the alert rules are not tried') ? test : test.skip;

interface Rule {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The rules with their annotations, each of which is one line of the file. */
async function readRules(): Promise<Rule[]> {
  const [, ...rules] = (await readFile(file('rules.yaml'), 'utf8')).split('- alert: ');
  return rules.map((rule) => ({
    name: /^\w+/.exec(rule)?.[0] ?? '',
    annotations: Object.fromEntries(
      [...rule.matchAll(/^ {10}(\w+): '?(.+?)'?$/gm)].map(([, key = '', value = '']) => [key, value]),
    ),
  }));
}

/** The sections of the runbook that are about alerts. */
async function readSections(): Promise<Map<string, string>> {
  const page = await readFile(new URL('../../docs/runbook.md', folder), 'utf8');
  const sections = [...page.matchAll(/^## (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)];
  return new Map(
    sections
      .map(([, title = '', text = '']) => [title, text] as const)
      .filter(([title]) => title !== 'Before you start'),
  );
}

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

  test('each name their object, and have a description and a section of the runbook', async () => {
    const rules = await readRules();
    const sections = await readSections();
    expect([...sections.keys()].sort()).toEqual(rules.map(({ name }) => name).sort());
    for (const { name, annotations } of rules) {
      const { summary = '', description = '', runbook } = annotations;
      expect({ name, runbook }).toEqual({ name, runbook: `docs/runbook.md#${name.toLowerCase()}` });
      expect(summary).toMatch(/\{\{ \$labels\.|cert-manager|check-monitor/);
      expect(description).toMatch(/\.$/);
      expect(sections.get(name)).toMatch(
        /^\n\*\*Meaning\.\*\* .+\n\n```sh\n(?:.+\n){3}```\n\n\*\*Next\.\*\* .+\n\n\*\*Ignore it\*\* .+\n\n?$/,
      );
    }
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
