import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findChannel } from '../../src/channels/channels.repository.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { listNotifications } from '../../src/notifications/delivery-lists.repository.js';
import { began, type Holder, openTestApp, type TestApp } from '../support/app.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';

const unknown = '00000000-0000-4000-8000-000000000000';
const minute = 60_000;

describeEachDialect('reports on deliveries', (open) => {
  let app: TestApp;
  let mailbox: MailServer;
  let ada: Holder;
  let channelUuid: string;

  beforeAll(async () => {
    mailbox = await startMailServer();
    const smtp = { url: mailbox.url, from: 'alerts@monitor.example' };
    app = await openTestApp(open, {}, { senderAccounts: { smtp, bounceDomain: 'bounces.example' } });
  });
  beforeEach(async () => {
    app.clock.set(began);
    ada = await app.newProject();
    const settings = { address: 'ada@example.org' };
    const wanted = { projectId: ada.keys.projectId, kind: 'email' as const, name: 'Ada', settings };
    channelUuid = await createChannel(app.accounts, { ...wanted, isVerified: true });
    const check = await ada.check({ channels: '*' });
    await ada.ping(check, '/fail');
    await app.tick();
    await app.deliver();
  });
  afterEach(async () => {
    // the owner is notified of a channel that was switched off
    await app.deliver();
    mailbox.reset();
  });
  afterAll(async () => {
    await app.close();
    await mailbox.close();
  });

  async function notified() {
    return app.database.read(async (tx) => {
      const channel = await findChannel(tx, channelUuid);
      const log = channel === undefined ? [] : await listNotifications(tx, channel.id, 10);
      const latest = log.find(({ aboutChannelId }) => aboutChannelId === null);
      if (channel === undefined || latest === undefined) throw new Error('nothing was sent');
      const seen = { error: latest.error, last: channel.lastError, isDisabled: channel.disabledAt !== null };
      return { id: latest.deliveryId, seen };
    });
  }
  const well = { error: null, last: null, isDisabled: false };
  const callback = (id: string, fields: object, version = 3) =>
    app.http.post(`/api/v${version}/notifications/${id}/status`).type('form').send(fields);

  test('a callback stores why a message did not arrive', async () => {
    const { id } = await notified();
    const answer = await callback(id, { error: 'No such number' }).expect(200, '');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect((await notified()).seen).toEqual({
      error: 'No such number',
      last: 'No such number',
      isDisabled: false,
    });
  });

  test('a callback can switch the channel off', async () => {
    const { id } = await notified();
    await callback(id.toUpperCase(), { error: 'Gone', mark_disabled: 'true' }, 1).expect(200, '');
    expect((await notified()).seen).toEqual({ error: 'Gone', last: 'Gone', isDisabled: true });
  });

  test('a callback counts within an hour, and a later one gets the same response', async () => {
    const { id } = await notified();
    app.clock.advance(60 * minute);
    await callback(id, { error: 'late' }).expect(200, '');
    await callback(unknown, { error: 'whose?' }).expect(200, '');
    await callback(id, { MessageStatus: 'delivered' }).expect(200, '');
    await app.http.post(`/api/v3/notifications/${id}/status/`).send({ error: 'no form' }).expect(200, '');
    expect((await notified()).seen).toEqual(well);
  });

  test('a callback is a POST to a uuid', async () => {
    for (const method of ['get', 'put', 'options'] as const) {
      const answer = await app.http[method](`/api/v2/notifications/${unknown}/status`).expect(405);
      expect(answer.headers['allow']).toBe('POST');
    }
    await callback('x', {}).expect(404);
    await callback(unknown, { error: 'x'.repeat(2_621_440) }).expect(400);
  });

  const bounce = (to: string, status: string, diagnostic = '') =>
    app.http
      .post('/api/v3/bounces/')
      .type('message/rfc822')
      .send(`From: <>\r\nTo: ${to}\r\n\r\nText\r\n\r\nAction: failed\r\nStatus: ${status}\r\n${diagnostic}`);
  const sender = () => {
    const [line = ''] = mailbox.senders;
    return line;
  };

  test.each([
    ['for good switches the channel off', '5.1.1', true],
    ['for now is only noted', '4.2.2', false],
    ['for want of a route is only noted', '5.4.4', false],
  ])('a bounced mail %s', async (_situation, status, isDisabled) => {
    await bounce(sender(), status).expect(200, 'OK');
    const error = `Delivery failed (SMTP status code: ${status})`;
    expect((await notified()).seen).toEqual({ error, last: error, isDisabled });
  });

  test('a bounced mail with a response of a mail server stores the response, cut to 200 characters', async () => {
    const answer = `451 4.0.0 No usable MXs, ${'try again later '.repeat(20)}`;
    await bounce(sender(), '4.0.0', `Diagnostic-Code: smtp; ${answer}\r\n`).expect(200, 'OK');
    const error = `Delivery failed (${answer}`.slice(0, 200);
    expect((await notified()).seen).toEqual({ error, last: error, isDisabled: false });
  });

  test('a bounced mail counts within 48 hours, and only at the address that it was sent from', async () => {
    await bounce('alerts@monitor.example', '5.1.1').expect(200, 'OK (bad signature)');
    await bounce(sender(), '2.0.0').expect(200, 'OK (ignored)');
    await app.http.get('/api/v3/bounces').expect(200, 'OK (bad signature)');
    app.clock.advance(48 * 60 * minute);
    await bounce(sender(), '5.1.1').expect(200, 'OK (notification not found)');
    expect((await notified()).seen).toEqual(well);
  });
});
