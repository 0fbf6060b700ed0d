import type { Watch } from '@certloop/contracts/browser';
import { type Mark, StateChip } from '@certloop/web-kit';
import { hasDelivered } from './watch-state.js';

const marks: Readonly<Record<Watch['state'], Mark>> = {
  not_watched: { tone: 'warn', shape: 'triangle', word: 'not watched' },
  unknown: { tone: 'warn', shape: 'triangle', word: 'unknown whether anyone is notified' },
  no_one: { tone: 'bad', shape: 'octagon', word: 'watched, but no one is notified' },
  failing: { tone: 'bad', shape: 'octagon', word: 'watched, but messages do not arrive' },
  notified: { tone: 'ok', shape: 'check', word: 'people are notified' },
};
const away: Mark = { tone: 'bad', shape: 'octagon', word: 'the monitor does not answer' };

/** Whether people are notified. Green stands only where an integration can send. */
export function WatchChip({ watch }: { readonly watch: Watch }) {
  return <StateChip {...(watch.monitor?.answers === false ? away : marks[watch.state])} />;
}

/** The way to the integrations of the monitor, where browsers reach it. */
export function IntegrationsLink({ watch }: { readonly watch: Watch }) {
  const { integrationsUrl: url, alerts } = watch;
  if (url === undefined || !/^https?:\/\//.test(url)) return null;
  return (
    <a href={url} rel="noreferrer">
      {alerts !== undefined && alerts.canSend > 0 ? 'Test the integrations' : 'Add an integration'}
    </a>
  );
}

/** The last of the first steps: done when a message or a test has arrived, as the monitor stores it. */
export function integrationStep(watch: Watch | undefined) {
  return {
    key: 'integration',
    isDone: hasDelivered(watch),
    text: (
      <>
        Add an integration in the monitor and send a test with it, so that people are notified.{' '}
        {watch !== undefined && !hasDelivered(watch) && <IntegrationsLink watch={watch} />}
      </>
    ),
  };
}
