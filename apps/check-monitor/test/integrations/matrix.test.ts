import { describe, expect, test } from 'vitest';
import { matrixIntegration } from '../../src/integrations/kinds/matrix/matrix.channel.js';
import { aDelivery, aRecovery } from '../support/events.js';
import { noAccounts } from '../support/integration-deps.js';
import { openTarget } from '../support/target.js';

const target = openTarget();

describe('Matrix', () => {
  const settings = { roomId: '!room/1:example.org' };

  test('gets a message in a room, with a transaction for each delivery', async () => {
    const matrix = matrixIntegration(target.deps());
    const event = aRecovery({ check: { name: '<x>' } });
    expect(await matrix.deliver(aDelivery(settings, event))).toEqual({ ok: true });
    expect(target.server.requests[0]).toMatchObject({
      method: 'PUT',
      path: `/_matrix/client/v3/rooms/%21room%2F1%3Aexample.org/send/m.room.message/${event.deliveryId}`,
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    });
    expect(target.json()).toMatchObject({
      msgtype: 'm.text',
      body: expect.stringMatching(
        /^<x> is now UP\. The downtime lasted 1 hour\.\n\nCame Up: .+ UTC\nProject: Jobs\n/,
      ),
      format: 'org.matrix.custom.html',
      formatted_body: expect.stringMatching(
        /^🟢 The check <a href=".+">&lt;x&gt;<\/a> is now <b>UP<\/b>\.<br>The downtime lasted 1 hour\.<br><br><b>Came Up:/,
      ),
    });
  });

  test('fails while the account is not in the room, and is not switched off: it may be invited again', async () => {
    target.answerJson(403, { errcode: 'M_FORBIDDEN' });
    const matrix = matrixIntegration(target.deps());
    expect(await matrix.deliver(aDelivery(settings))).toEqual({
      ok: false,
      error: 'Received status code 403',
      permanent: false,
      retryReason: 'rejected',
    });
  });

  test('is reported as missing its account if none is configured', () => {
    const { missing } = matrixIntegration({ ...target.deps(), senderAccounts: noAccounts });
    expect(missing).toMatch(/MATRIX/);
  });
});
