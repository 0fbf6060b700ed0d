import { describe, expect, test } from 'vitest';
import { opsgenieIntegration } from '../../src/integrations/kinds/opsgenie/opsgenie.channel.js';
import { opsgenieSettings } from '../../src/integrations/kinds/opsgenie/opsgenie-kind.js';
import { aDelivery, anEvent, aRecovery, viewOf } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();
const { uniqueKey } = anEvent().check;

describe('Opsgenie', () => {
  const opsgenie = () => opsgenieIntegration(target.deps());

  test('opens an alert when a check goes down', async () => {
    const check = { name: 'x'.repeat(200), tagList: ['prod', 'y'.repeat(60)], description: 'Nightly' };
    await opsgenie().deliver(aDelivery(opsgenieSettings.parse({ key: 'k-1' }), anEvent({ check })));
    expect(target.server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/us/v2/alerts',
      headers: { authorization: 'GenieKey k-1' },
    });
    expect(target.json()).toMatchObject({
      alias: uniqueKey,
      source: 'Monitor',
      tags: ['prod', 'y'.repeat(50)],
      message: `The check "${'x'.repeat(119)}`,
      description: 'Nightly',
      details: {
        'Went down': '2026-01-01 12:00:00 UTC',
        Project: 'Jobs',
        'Total pings': 112,
        'Last ping': 'Success, 10 minutes ago',
        'Last ping body': 'done',
        'Full details': viewOf(anEvent()).link,
      },
    });
  });

  test('closes the same alert when the check comes up, in its region', async () => {
    target.answerJson(202);
    const settings = opsgenieSettings.parse({ key: 'k-1', region: 'eu' });
    expect(await opsgenie().deliver(aDelivery(settings, aRecovery()))).toEqual({ ok: true });
    expect(target.server.requests[0]?.path).toBe(`/eu/v2/alerts/${uniqueKey}/close?identifierType=alias`);
    const link = viewOf(aRecovery()).link;
    expect(target.json()).toEqual({
      alias: uniqueKey,
      source: 'Monitor',
      note: `“Backup” is UP. The downtime lasted 1 hour. Came up: 2026-01-01 12:00:00 UTC. ${link}`,
    });
  });

  test.each<[string, number, string, string]>([
    ['a refusal', 403, '{"message": "Nice try"}', 'Received status code 403 with a message: "Nice try"'],
    ['a refusal that is not JSON', 403, 'oops', 'Received status code 403'],
    ['a failure of the server', 500, '{"message": "oops"}', 'Received status code 500'],
  ])('says what the API answered: %s', async (_situation, status, body, error) => {
    target.server.answer((response) => response.writeHead(status).end(body));
    const result = await opsgenie().deliver(aDelivery(opsgenieSettings.parse({ key: 'k-1' })));
    expect(result).toMatchObject({ ok: false, error, permanent: false });
  });
});
