import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { delivered } from '../../src/integrations/delivery/delivery-result.js';
import { emailIntegration } from '../../src/integrations/kinds/email/email.channel.js';
import { emailSettings } from '../../src/integrations/kinds/email/email-kind.js';
import { createMailSender } from '../../src/integrations/kinds/email/mail-sender.client.js';
import { signedLink } from '../../src/integrations/links/signed-link.js';
import type { AlertEvent } from '../../src/integrations/messages/alert-event.js';
import { aDelivery, anEvent, aRecovery, site } from '../support/events.js';
import { integrationDeps } from '../support/integration-deps.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';

let server: MailServer;
let stopping = new AbortController();

beforeAll(async () => {
  server = await startMailServer();
});
afterEach(() => {
  server.reset();
  stopping = new AbortController();
});
afterAll(() => server.close());

const leave = signedLink(site, { purpose: 'unsub', channelUuid: aDelivery({}).channel.uuid });
const settings = emailSettings.parse({ address: 'ada@example.org' });

function email(smtpUrl = server.url, timeoutMs = 60_000) {
  const sender = { smtpUrl, from: 'Monitor <monitor@example.org>', timeoutMs, stop: stopping.signal };
  const deps = integrationDeps('', async () => delivered);
  return emailIntegration({ ...deps, sendMail: createMailSender(sender) });
}

async function sent(event = anEvent()) {
  expect(await email().deliver(aDelivery(settings, event))).toEqual({ ok: true });
  const [mail] = server.mails;
  if (mail === undefined) throw new Error('no mail arrived');
  return mail;
}

/** A check that a mail has failed. */
function mailPinged(source: string) {
  const lastPing = {
    n: 112,
    signal: 'fail',
    at: 0,
    exitStatus: null,
    isMail: true,
    body: Buffer.from(source),
  } as const;
  return anEvent({ lastPing });
}

describe('a mail', () => {
  test('reports a check that went down, as text and as HTML', async () => {
    const mail = await sent(anEvent({ check: { name: 'Backup <1> & "co" é' } }));
    expect(mail.subject).toBe('DOWN | Backup <1> & "co" é');
    expect([mail.from?.text, mail.to]).toEqual([
      '"Monitor" <monitor@example.org>',
      expect.objectContaining({ text: 'ada@example.org' }),
    ]);
    expect(mail.text).toContain(
      '“Backup <1> & "co" é” is DOWN (success signal did not arrive on time, grace time passed).',
    );
    expect(mail.text).toContain('\nTags: prod, db\n');
    expect(mail.text).toContain('Last Ping Body:\n\ndone\n');
    expect(mail.html).toContain('“Backup &lt;1&gt; &amp; &quot;co&quot; é” is DOWN');
    expect(mail.html).toContain('<b>Tags:</b> prod, db');
  });

  test('reports a recovery', async () => {
    const mail = await sent(aRecovery());
    expect(mail.subject).toBe('UP | Backup');
    expect(mail.text).toContain('The downtime lasted 1 hour.');
  });

  test('lets its receiver unsubscribe with one click, and is marked against automatic replies', async () => {
    const event = anEvent();
    const mail = await sent(event);
    expect(mail.headerLines.filter(({ key }) => key.startsWith('list-')).map(({ line }) => line)).toEqual([
      `List-Unsubscribe:\r\n <${leave}>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ]);
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.messageId).toBe(`<${event.deliveryId}@monitor.example>`);
    expect(mail.text).toContain(leave);
    expect(mail.html).toContain(`<a href="${leave}">Unsubscribe</a>`);
  });

  test('contains the last 10,000 bytes of the last ping, and their total number', async () => {
    const body = Buffer.from(`the start is cut off${'é'.repeat(5_000)}!`);
    const lastPing = { n: 112, signal: 'fail', at: 0, exitStatus: null, isMail: false, body } as const;
    const mail = await sent(anEvent({ lastPing }));
    const note = 'Showing the last 10000 bytes of 10021 bytes total.';
    expect(mail.text).toContain(`\nLast Ping Body:\n\n${note}\n\n${'é'.repeat(4_999)}!\n`);
    expect(mail.html).toContain(`<p>${note}</p>`);
    expect(mail.html).toContain(`>${'é'.repeat(4_999)}!</pre>`);
    expect(mail.text).not.toContain('the start');
  });

  test('says when the status changed and when, how and from where the last ping came', async () => {
    const origin = { scheme: 'https', method: 'POST', remoteAddr: '192.0.2.7' };
    const lastPing = { ...anEvent().lastPing, origin } as AlertEvent['lastPing'];
    const { text, html } = await sent(anEvent({ lastPing }));
    expect(text).toContain('\nWent Down: 2026-01-01 12:00:00 UTC\n');
    expect(text).toContain(
      '\nLast Ping At: 2026-01-01 11:50:00 UTC\nLast Ping By: HTTPS POST from 192.0.2.7\n',
    );
    expect(html).toContain('<b>Last Ping By:</b> HTTPS POST from 192.0.2.7');
  });

  test.each([
    [
      'of the receiver, where the integration has one',
      'Europe/Riga',
      undefined,
      '14:00:00 UTC+02:00 (Europe/Riga)',
    ],
    [
      'of the receiver before that of the schedule',
      'Europe/Riga',
      'Asia/Tokyo',
      '14:00:00 UTC+02:00 (Europe/Riga)',
    ],
    ['of the schedule otherwise', undefined, 'Asia/Tokyo', '21:00:00 UTC+09:00 (Asia/Tokyo)'],
  ])('shows times in the zone %s', async (_situation, tz, scheduleZone, shown) => {
    const period = { kind: 'cron', schedule: '* * * * *', tz: scheduleZone ?? '' } as const;
    const event = anEvent(scheduleZone === undefined ? {} : { check: { period } });
    const zoned = emailSettings.parse({ address: 'ada@example.org', tz });
    expect(await email().deliver(aDelivery(zoned, event))).toEqual({ ok: true });
    const [mail] = server.mails;
    expect(mail?.text).toContain(`Went Down: 2026-01-01 ${shown}`);
    expect(mail?.text).toMatch(/Last Ping At: 2026-01-01 \d\d:50:00 UTC\+/);
  });

  test('contains the subject if the last ping was a mail', async () => {
    const origin = { scheme: 'email', method: '', remoteAddr: '192.0.2.7' };
    const event = mailPinged('Subject: =?utf-8?Q?Foo_b=C3=A4r?= <b>\n\nLorem ipsum\n');
    const { text, html } = await sent({
      ...event,
      lastPing: { ...event.lastPing, origin } as AlertEvent['lastPing'],
    });
    expect(text).toContain('\nLast Ping By: email from 192.0.2.7\nLast Ping Subject: Foo bär <b>\n');
    expect(html).toContain('<b>Last Ping Subject:</b> Foo bär &lt;b&gt;');
  });

  test('shows the lines of a description as lines', async () => {
    const mail = await sent(anEvent({ check: { description: 'Line 1\nLine 2' } }));
    expect(mail.text).toContain('Line 1\nLine 2');
    expect(mail.html).toContain('Line 1<br>Line 2');
  });

  test('attaches the last ping if it was a mail', async () => {
    await sent(mailPinged('From: cron@example.org\nSubject: Nightly\n\nall well\n'));
    const [source = ''] = server.sources;
    expect(source).toContain('Content-Type: message/rfc822; name=ping.eml');
    expect(source).toContain('From: cron@example.org\r\nSubject: Nightly\r\n');
    expect(source.split('all well')).toHaveLength(2);
    expect(server.mails[0]?.text).toContain('Last Ping Body:\n\nSee the attachment.\n');
    expect(server.mails[0]?.html).toContain('<p>See the attachment.</p>');
  });

  test('sends no line longer than 80 characters, for any attached mail', async () => {
    const long = '0123456789'.repeat(200);
    const parts = `--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${long} glāžšķūņu rūķīši\n`;
    await sent(
      mailPinged(`Subject: long\nContent-Type: multipart/mixed; boundary=b\n\n${parts}${parts}--b--\n`),
    );
    const [source = ''] = server.sources;
    // the link has a line of its own, and cannot be folded
    const lines = source.split('\r\n').filter((line) => line !== ` <${leave}>`);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(80);
    expect(source).toMatch(/^[\0-\x7f]*$/);
  });

  test('leaves out mails within the mail, and says so', async () => {
    const nested = '--b\nContent-Type: message/rfc822\n\nSubject: Inner\n\nHello 123\n';
    const text = '--b\n\nHello 456\n';
    await sent(
      mailPinged(`Subject: Outer\nContent-Type: multipart/mixed; boundary=b\n\n${text}${nested}--b--\n`),
    );
    const [source = ''] = server.sources;
    expect(source).toContain('Subject: Outer');
    expect(source).toContain('Hello 456');
    expect(source).not.toMatch(/Inner|Hello 123/);
    expect(server.mails[0]?.text).toContain('See the attachment. Left out: an attached mail or report.');
  });

  test.each([
    [
      '12 MB of text',
      `Subject: FAILED\n\n${'all broken\n'.repeat(1_100_000)}`,
      'the text after its first 700 kB',
    ],
    [
      '12 MB of an attachment',
      `Subject: FAILED\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nall broken\n--b\nContent-Type: application/gzip\n\n${'A'.repeat(12_000_000)}\n--b--\n`,
      'application/gzip of 12.0 MB',
    ],
  ])('arrives with %s at a server that takes 10 MB', async (_situation, source, omitted) => {
    server.limit(10_000_000, 552, '5.3.4 Message size exceeds fixed limit');
    const mail = await sent(mailPinged(source));
    expect(mail.text).toContain(`See the attachment. Left out: ${omitted}.`);
    expect(server.sources[0]).toContain('all broken');
    expect(server.sources[0]?.length).toBeLessThan(1_100_000);
  });

  test.each([
    ['552 without more', 552, 'too much mail data'],
    ['too long for the system', 554, '5.3.4 message too big'],
    ['too long for the mailbox', 550, '5.2.3 message exceeds a limit'],
  ])(
    'is sent once more without its attachment when the server returns %s',
    async (_situation, code, message) => {
      server.limit(20_000, code, message);
      const mail = await sent(mailPinged(`Subject: FAILED\n\n${'all broken\n'.repeat(10_000)}`));
      expect(server.offers).toHaveLength(2);
      expect(mail.attachments).toEqual([]);
      expect(mail.text).toContain('Not attached: the mail server refused a message of its size.');
    },
  );

  test('is sent without its attachment if the server announces a smaller limit', async () => {
    const small = await startMailServer({ size: 20_000 });
    const result = await email(small.url).deliver(
      aDelivery(settings, mailPinged(`Subject: FAILED\n\n${'all broken\n'.repeat(10_000)}`)),
    );
    await small.close();
    expect(result).toEqual({ ok: true });
    expect(small.mails[0]?.attachments).toEqual([]);
  });

  test('a name cannot add a header or a receiver', async () => {
    const mail = await sent(anEvent({ check: { name: 'a\r\nBcc: eve@example.org' } }));
    expect(mail.subject).toBe('DOWN | a Bcc: eve@example.org');
    expect(server.offers).toEqual(['ada@example.org']);
  });
});

describe('a mail that cannot be sent', () => {
  test.each([
    ['is retried if the mailbox is full', 452, 'try later', { permanent: false, retryReason: 'failed' }],
    [
      'is retried where the server does not know the sender yet',
      450,
      '4.7.1 later',
      { retryReason: 'failed' },
    ],
    ['is final if the mailbox does not exist', 550, '5.1.1 no such user', { permanent: true }],
    ['is given up if the server classifies it as spam', 554, '5.7.1 no', { permanent: false }],
  ])('%s', async (_situation, code, message, meaning) => {
    server.refuse(code, message);
    const error = expect.stringContaining(`${code} ${message}`);
    expect(await email().deliver(aDelivery(settings))).toEqual({
      ok: false,
      permanent: false,
      error,
      ...meaning,
    });
    expect(server.offers).toHaveLength(1);
  });

  test('is aborted when the service stops, and not started after that', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const stopped = { ok: false, error: 'the service is stopping', permanent: false, retryReason: 'stopped' };
    const connected = once(silent, 'connection');
    const result = email(`smtp://127.0.0.1:${port}`).deliver(aDelivery(settings));
    const [connection] = (await connected) as [Socket];
    stopping.abort();
    expect(await result).toEqual(stopped);
    expect(await email().deliver(aDelivery(settings))).toEqual(stopped);
    expect(server.offers).toEqual([]);
    connection.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  test('is retried if the server does not respond in time', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const connected = once(silent, 'connection');
    const result = email(`smtp://127.0.0.1:${port}`, 50).deliver(aDelivery(settings));
    const [connection] = (await connected) as [Socket];
    expect(await result).toMatchObject({
      retryReason: 'timed-out',
      error: 'the mail server does not answer',
    });
    connection.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  test('is retried if no server listens', async () => {
    expect(await email('smtp://127.0.0.1:1').deliver(aDelivery(settings))).toEqual({
      ok: false,
      error: 'the mail server cannot be reached',
      permanent: false,
      retryReason: 'failed',
    });
  });

  test('is not attempted while the address is not verified', async () => {
    const channel = { uuid: 'x', projectId: 'y', isVerified: false };
    expect(await email().deliver(aDelivery(settings, anEvent(), { channel }))).toMatchObject({
      ok: false,
      error: 'Email not verified',
    });
    expect(server.offers).toEqual([]);
  });
});

describe('settings of a mail address', () => {
  test.each([
    ['no address', { address: 'ada' }],
    ['two addresses', { address: 'ada@example.org, eve@example.org' }],
    ['a zone that there is not', { address: 'ada@example.org', tz: 'Europe/Nowhere' }],
    ['neither down nor up', { address: 'ada@example.org', down: false, up: false }],
  ])('refuse %s', (_situation, given) => {
    expect(emailSettings.safeParse(given).success).toBe(false);
  });

  test('select the direction', () => {
    const downOnly = emailSettings.parse({ address: 'ada@example.org', up: false });
    expect([email().shouldNotify(downOnly, 'down'), email().shouldNotify(downOnly, 'up')]).toEqual([
      true,
      false,
    ]);
  });
});
