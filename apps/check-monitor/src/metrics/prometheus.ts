import { type ShownCheck, tagsOf } from '../checks/check.js';
import { statusAt } from '../checks/check-timing.js';
import type { Micros } from '../instants.js';

/** State of the checks of a project in the text format of Prometheus: gauges of 0 and 1, and two counts. */
export function describeForPrometheus(checks: readonly ShownCheck[], now: Micros): string {
  const seen = checks.map((check) => ({ check, status: statusAt(check, now) }));
  const down = seen.filter(({ status }) => status === 'down');
  const tags = new Set(checks.flatMap(({ tags }) => tagsOf(tags)));
  const tagsDown = new Set(down.flatMap(({ check }) => tagsOf(check.tags)));
  const perCheck = (name: string, holds: (one: (typeof seen)[number]) => boolean) =>
    seen.map((one) => `${name}{${labelsOf(one.check)}} ${holds(one) ? 1 : 0}\n`);
  return [
    gauge('hc_check_up', 'Whether the check is currently up (1 for yes, 0 for no).'),
    ...perCheck('hc_check_up', ({ status }) => status !== 'down'),
    '\n',
    gauge('hc_check_started', 'Whether the check is currently started (1 for yes, 0 for no).'),
    ...perCheck('hc_check_started', ({ check }) => check.lastStart !== null),
    '\n',
    gauge('hc_check_grace', 'Whether the check is currently in the grace period (1 for yes, 0 for no).'),
    ...perCheck('hc_check_grace', ({ status }) => status === 'grace'),
    '\n',
    gauge('hc_check_paused', 'Whether the check is currently paused (1 for yes, 0 for no).'),
    ...perCheck('hc_check_paused', ({ status }) => status === 'paused'),
    '\n',
    gauge('hc_tag_up', 'Whether all checks with this tag are up (1 for yes, 0 for no).'),
    ...[...tags].sort().map((tag) => `hc_tag_up{tag="${escaped(tag)}"} ${tagsDown.has(tag) ? 0 : 1}\n`),
    '\n',
    gauge('hc_checks_total', 'The total number of checks.'),
    `hc_checks_total ${checks.length}\n`,
    '\n',
    gauge('hc_checks_down_total', 'The number of checks currently down.'),
    `hc_checks_down_total ${down.length}\n`,
  ].join('');
}

function gauge(name: string, meaning: string): string {
  return `# HELP ${name} ${meaning}\n# TYPE ${name} gauge\n`;
}

function labelsOf({ name, tags, uniqueKey }: ShownCheck): string {
  return `name="${escaped(name)}", tags="${escaped(tags)}", unique_key="${uniqueKey}"`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
