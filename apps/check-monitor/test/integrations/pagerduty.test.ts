import { describe, expect, test } from 'vitest';
import { pdIntegration } from '../../src/integrations/kinds/pagerduty/pagerduty.channel.js';
import { aDelivery, anEvent, aRecovery, viewOf } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();
const { uniqueKey } = anEvent().check;

describe('PagerDuty', () => {
  const pagerDuty = () => pdIntegration(target.deps());
  const settings = { serviceKey: 'key0123456789' };

  test('has an incident opened by a check that went down', async () => {
    expect(await pagerDuty().deliver(aDelivery(settings))).toEqual({ ok: true });
    expect(target.server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/generic/2010-04-15/create_event.json',
    });
    expect(target.json()).toEqual({
      service_key: 'key0123456789',
      incident_key: uniqueKey,
      event_type: 'trigger',
      description: 'Backup is DOWN (success signal did not arrive on time, grace time passed).',
      client: 'Monitor',
      client_url: viewOf(anEvent()).link,
      details: {
        'Went down': '2026-01-01 12:00:00 UTC',
        Project: 'Jobs',
        Tags: 'prod, db',
        Period: '1 day',
        'Total pings': 112,
        'Last ping': 'Success, 10 minutes ago',
        'Last ping body': 'done',
      },
    });
  });

  test('has the same incident resolved by the recovery', async () => {
    await pagerDuty().deliver(aDelivery(settings, aRecovery()));
    expect(target.json()).toMatchObject({
      event_type: 'resolve',
      incident_key: uniqueKey,
      description: 'Backup received a ping and is now UP',
      details: { 'Came up': '2026-01-01 12:00:00 UTC' },
    });
  });
});
