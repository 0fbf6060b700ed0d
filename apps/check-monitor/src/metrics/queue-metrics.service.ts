import type { Metrics } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { maxCounted, readWaiting } from './scrape.repository.js';

const alone = (value: number) => [{ labels: {}, value }];

export function readQueues(metrics: Metrics, { db, clock }: DbDeps): void {
  metrics.gaugesOf({
    name: 'queues',
    gauges: {
      lag: {
        name: 'check_monitor_due_lag_seconds',
        help: 'How long the look at a check that is due for the longest time has been due; 0 when none is',
        labels: [],
      },
      flips: {
        name: 'check_monitor_flips_waiting',
        help: `Changes of status that no messages were made of yet, up to ${maxCounted}`,
        labels: [],
      },
      messages: {
        name: 'check_monitor_messages_waiting',
        help: `Messages to channels that are not delivered yet, up to ${maxCounted}`,
        labels: [],
      },
      oldest: {
        name: 'check_monitor_oldest_message_seconds',
        help: 'Age of the oldest message that is not delivered yet, to a channel that neither fails nor is held back',
        labels: [],
      },
      held: {
        name: 'check_monitor_oldest_held_message_seconds',
        help: 'Age of the oldest message to a channel that is held back, as its target limits its rate, and does not fail',
        labels: [],
      },
      failing: {
        name: 'check_monitor_channels_failing',
        help: 'Channels whose target takes no messages at present, while messages wait for them',
        labels: [],
      },
    },
    read: async () => {
      const present = clock.now();
      const ageOf = (moment: Micros | null) =>
        moment === null ? 0 : Math.max(0, (present - moment) / microsPerSecond);
      const waiting = await db.read((tx) => readWaiting(tx, present));
      return {
        lag: alone(ageOf(waiting.earliestDue)),
        flips: alone(waiting.flips),
        messages: alone(waiting.messages),
        oldest: alone(ageOf(waiting.oldestMessage)),
        held: alone(ageOf(waiting.oldestHeld)),
        failing: alone(waiting.failingChannels),
      };
    },
  });
}
