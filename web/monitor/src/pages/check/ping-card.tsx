import type { Check } from '@certloop/contracts/browser';
import { Choice, CodeBlock, CopyText, useStoredChoice } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../service.js';

const ways = [
  ['curl', 'Shell'],
  ['cron', 'Cron line'],
  ['certloop', 'certloop run'],
  ['systemd', 'systemd unit'],
] as const;
type Way = (typeof ways)[number][0];
const wayNames = ways.map(([name]) => name);

/** How the job sends its pings. */
export function PingCard({ check }: { readonly check: Check }) {
  const [way = 'curl', choose] = useStoredChoice<Way>('ping-way', wayNames);
  const domain = useQuery(stateQuery).data?.pingMailDomain;
  return (
    <section className="cl-panel" aria-label="How to ping">
      <h2>How to ping</h2>
      <div className="cl-row">
        <code className="cl-mono cl-anywhere">{check.ping_url}</code>
        <CopyText text={check.ping_url} label="Copy the address" shortcut="y" />
      </div>
      <Choice label="From a" value={way} choices={ways} choose={choose} />
      <CodeBlock text={commandOf(way, check)} />
      {domain !== undefined && (
        <div className="cl-row">
          <span>By mail to</span>
          <code className="cl-mono cl-anywhere">{`${check.uuid}@${domain}`}</code>
          <CopyText text={`${check.uuid}@${domain}`} label="Copy the mail address" />
        </div>
      )}
      <p className="cl-dim">
        {way === 'certloop' && 'The command reports the start, the result and the last output of the job. '}
        With <span className="cl-mono">/start</span> at the beginning of a job, its durations are measured;
        <span className="cl-mono"> /fail</span> reports a failure at once.
      </p>
    </section>
  );
}

function commandOf(way: Way, { ping_url: url, schedule }: Check): string {
  const ping = `curl -fsS -m 10 --retry 5 -o /dev/null`;
  if (way === 'cron') return `${schedule ?? '0 3 * * *'} /path/to/job && ${ping} ${url}`;
  if (way === 'certloop') return `certloop run ${url} -- /path/to/job`;
  if (way === 'systemd')
    return `[Service]\nExecStart=/path/to/job\nExecStopPost=${ping} ${url}/\${EXIT_STATUS}`;
  return `/path/to/job\n${ping} ${url}/$?`;
}
