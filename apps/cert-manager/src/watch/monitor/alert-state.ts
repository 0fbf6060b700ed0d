import type { AlertReach, WatchState } from '@certloop/contracts';

/** State of the integrations of the project of the watch, by the monitor. */
export interface ProjectReach {
  readonly projectId: string;
  readonly alerts: AlertReach;
}

export interface AlertState {
  readonly state: WatchState;
  /** A sentence. */
  readonly message: string;
}

/** Whether people are notified of what the monitor sees. What is not known is never taken for good. */
export function alertStateOf(
  hasMonitor: boolean,
  contact: { readonly answers: boolean; readonly reach: ProjectReach | undefined } | undefined,
): AlertState {
  if (!hasMonitor) {
    return {
      state: 'not_watched',
      message: 'No monitor is set, so no one is notified: set CHECK_MONITOR_URL and CHECK_MONITOR_API_KEY.',
    };
  }
  if (contact === undefined) return unknown('the monitor was not asked yet');
  if (!contact.answers) return unknown('the monitor does not answer');
  if (contact.reach === undefined)
    return unknown('the monitor does not say; upgrade it if it is an older version');
  return stateOfReach(contact.reach.alerts);
}

function unknown(reason: string): AlertState {
  return { state: 'unknown', message: `It is unknown whether anyone is notified: ${reason}.` };
}

function stateOfReach({
  integrations,
  canSend,
  failing,
  checks,
  checksWithoutIntegration: silent,
}: AlertReach): AlertState {
  if (canSend === 0) {
    const reason =
      integrations === 0
        ? 'the project in the monitor has no integration: add one'
        : 'no integration of the project in the monitor can send: repair or add one';
    return { state: 'no_one', message: `Watched, but no one is notified: ${reason}.` };
  }
  if (silent > 0) {
    const some = `${silent} of ${checks} checks of the watch`;
    return {
      state: 'no_one',
      message: `Watched, but no one is notified about ${some}: assign an integration that can send.`,
    };
  }
  if (failing === canSend) {
    return {
      state: 'failing',
      message: 'Watched, but messages do not arrive: every integration that can send is failing.',
    };
  }
  const able = canSend - failing;
  return {
    state: 'notified',
    message: `Watched: ${able} ${able === 1 ? 'integration' : 'integrations'} can notify people.`,
  };
}
