import { scheduleWords, spanText } from '@certloop/web-kit';
import { Fragment } from 'react';

interface Scheduled {
  readonly timeout?: number | undefined;
  readonly schedule?: string | undefined;
  readonly tz?: string | undefined;
}

/** When pings are expected: in words where these are short, with the zone. `isExact` always shows the line itself too. */
export function ScheduleText({
  check: { timeout, schedule = '', tz = 'UTC' },
  isExact = false,
}: {
  readonly check: Scheduled;
  readonly isExact?: boolean;
}) {
  if (timeout !== undefined) return `every ${spanText(timeout)}`;
  const words = scheduleWords(schedule);
  const line = <span className="cl-mono">{schedule}</span>;
  if (isExact) {
    return (
      <>
        {line} {tz}
        {words !== undefined && ` (${words})`}
      </>
    );
  }
  return (
    <>
      {words === undefined ? line : <span title={schedule}>{words}</span>}
      <span className="cl-dim cl-zone">
        {tz.split('/').map((part, place) => (
          <Fragment key={part}>
            {place > 0 && (
              <>
                /<wbr />
              </>
            )}
            {part}
          </Fragment>
        ))}
      </span>
    </>
  );
}
