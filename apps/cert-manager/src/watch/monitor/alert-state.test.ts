import type { AlertReach } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { alertStateOf } from './alert-state.js';

const well: AlertReach = {
  checks: 3,
  checksWithoutIntegration: 0,
  integrations: 2,
  canSend: 2,
  switchedOff: 0,
  unable: 0,
  failing: 0,
};
const saying = (alerts: Partial<AlertReach>) => ({
  answers: true,
  reach: { projectId: 'p', alerts: { ...well, ...alerts } },
});

test.each([
  ['no monitor is set', false, undefined, 'not_watched', /^No monitor is set/],
  ['it was not asked yet', true, undefined, 'unknown', /not asked yet/],
  ['it is away', true, { answers: false, reach: undefined }, 'unknown', /does not answer/],
  ['it is an old one', true, { answers: true, reach: undefined }, 'unknown', /upgrade it/],
  ['there is no integration', true, saying({ integrations: 0, canSend: 0 }), 'no_one', /has no integration/],
  ['all are switched off', true, saying({ canSend: 0, switchedOff: 2 }), 'no_one', /can send: repair/],
  ['a check has none', true, saying({ checksWithoutIntegration: 1 }), 'no_one', /about 1 of 3 checks/],
  ['all fail', true, saying({ failing: 2 }), 'failing', /do not arrive/],
  ['one of two fails', true, saying({ failing: 1 }), 'notified', /^Watched: 1 integration can/],
  ['all work', true, saying({}), 'notified', /^Watched: 2 integrations can/],
] as const)('the state of the alerts when %s', (_situation, hasMonitor, contact, state, message) => {
  const found = alertStateOf(hasMonitor, contact);
  expect(found.state).toBe(state);
  expect(found.message).toMatch(message);
});
