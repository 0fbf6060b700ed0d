import { microsOf } from '../../src/instants.js';
import type { Delivery } from '../../src/integrations/integration.js';
import type { AlertEvent, DownCheck } from '../../src/integrations/messages/alert-event.js';
import { type EventView, viewEvent } from '../../src/integrations/messages/event-view.js';

export const happened = microsOf(new Date('2026-01-01T12:00:00Z'));
export const minute = 60_000_000;

/** A backup that did not come: pinged ten minutes ago with a body. */
export function anEvent({ check, ...overrides }: EventOverrides = {}): AlertEvent {
  return {
    deliveryId: '5e0a4c3e-5f0c-4f5e-8f0a-111111111111',
    status: 'down',
    at: happened,
    reason: 'timeout',
    downSince: null,
    check: {
      uuid: '62e13f6b-a7b9-4926-8d1a-222222222222',
      uniqueKey: 'a6c7b0a8a66bed0df66abfdab3c77736861703ee',
      name: 'Backup',
      slug: 'backup',
      tags: 'prod db',
      tagList: ['prod', 'db'],
      description: '',
      period: { kind: 'simple', timeoutSeconds: 86_400 },
      pingCount: 112,
      json: { name: 'Backup', status: 'down' },
      ...check,
    },
    projectName: 'Jobs',
    lastPing: {
      n: 112,
      signal: 'success',
      at: happened - 10 * minute,
      exitStatus: null,
      isMail: false,
      body: Buffer.from('done'),
    },
    others: { total: 0, downCount: 0, down: [] },
    ...overrides,
  };
}

type EventOverrides = Partial<Omit<AlertEvent, 'check'>> & { readonly check?: Partial<AlertEvent['check']> };

/** Another check of the project, down and never pinged. */
export function aDownCheck(overrides: Partial<DownCheck> = {}): DownCheck {
  return {
    uuid: '0d7f0a3e-5c1b-4c55-9d0e-555555555555',
    uniqueKey: 'b'.repeat(40),
    name: 'mail',
    lastPing: null,
    ...overrides,
  };
}

/** The same check, up again after an hour. */
export function aRecovery(overrides: EventOverrides = {}): AlertEvent {
  return anEvent({ status: 'up', reason: '', downSince: happened - 60 * minute, ...overrides });
}

export const site = {
  siteName: 'Monitor',
  siteRoot: 'https://monitor.example',
  logoUrl: undefined,
  secret: 'a secret for tests only',
};

/** What is shown of an event a second after it. */
export function viewOf(event: AlertEvent): EventView {
  return viewEvent(event, site, happened + 1_000_000);
}

/** An event on its way to a channel with these settings. */
export function aDelivery<Settings>(
  settings: Settings,
  event: AlertEvent = anEvent(),
  overrides: Partial<Delivery<Settings>> = {},
): Delivery<Settings> {
  const channel = {
    uuid: '9b6b0b1e-0d3c-4a53-9d6a-333333333333',
    projectId: '7c1f5f8a-1f7a-4c57-8a61-444444444444',
    isVerified: true,
  };
  return { settings, event, view: viewOf(event), channel, isTest: false, ...overrides };
}
