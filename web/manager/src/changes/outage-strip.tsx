import { exactTime, NextTry } from '@certloop/web-kit';
import { type Outage, useFollowChanges } from './follow-changes.js';

/** Follows what others change while a user is signed in, and says so when the service does not answer. */
export function OutageStrip() {
  const outage = useFollowChanges();
  return outage === undefined ? null : <Strip outage={outage} />;
}

function Strip({ outage: { answeredAt, nextTryAt } }: { readonly outage: Outage }) {
  return (
    <p className="cl-strip" role="status">
      As of {exactTime(new Date(answeredAt).toISOString())}: the service does not answer since then. It may be
      restarting, or the network is down. <NextTry at={nextTryAt} />
    </p>
  );
}
