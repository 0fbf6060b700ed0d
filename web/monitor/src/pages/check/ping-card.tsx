import type { Check } from '@certloop/contracts/browser';
import { CodeBlock } from '@certloop/web-kit';
import { useState } from 'react';

const ways = [
  ['curl', 'Shell'],
  ['cron', 'Cron line'],
  ['systemd', 'systemd unit'],
] as const;
type Way = (typeof ways)[number][0];

/** How the job sends its pings. */
export function PingCard({ check }: { readonly check: Check }) {
  const [way, choose] = useState<Way>('curl');
  return (
    <section className="cl-panel" aria-label="How to ping">
      <h2>How to ping</h2>
      <label className="cl-row">
        <span>From a</span>
        <select
          className="cl-select"
          value={way}
          onChange={({ currentTarget: { value } }) => choose(value as Way)}
        >
          {ways.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <CodeBlock text={commandOf(way, check)} />
      <p className="cl-dim">
        With <span className="cl-mono">/start</span> at the beginning of a job, its durations are measured;
        <span className="cl-mono"> /fail</span> reports a failure at once.
      </p>
    </section>
  );
}

function commandOf(way: Way, { ping_url: url, schedule }: Check): string {
  const ping = `curl -fsS -m 10 --retry 5 -o /dev/null`;
  if (way === 'cron') return `${schedule ?? '0 3 * * *'} /path/to/job && ${ping} ${url}`;
  if (way === 'systemd')
    return `[Service]\nExecStart=/path/to/job\nExecStopPost=${ping} ${url}/\${EXIT_STATUS}`;
  return `/path/to/job\n${ping} ${url}/$?`;
}
