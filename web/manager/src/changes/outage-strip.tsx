import { exactTime, useNow } from '@certloop/web-kit';
import { type Outage, useFollowChanges } from './follow-changes.js';

/** Follows what others change while a user is signed in, and says so when the service does not answer. */
export function OutageStrip() {
  const outage = useFollowChanges();
  return outage === undefined ? null : <Strip outage={outage} />;
}

function Strip({ outage: { answeredAt, nextTryAt } }: { readonly outage: Outage }) {
  const seconds = Math.max(0, Math.ceil((nextTryAt - useNow(1_000)) / 1_000));
  return (
    <p className="cl-strip" role="status">
      As of {exactTime(new Date(answeredAt).toISOString())}: the service does not answer since then. It may be
      restarting, or the network is down. {/* a count down each second is nothing to be read aloud */}
      <span aria-hidden="true">{seconds === 0 ? 'Trying again.' : `Trying again in ${seconds} s.`}</span>
    </p>
  );
}
