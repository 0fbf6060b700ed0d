import { describeEachDialect } from '@certloop/db/testing';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { listenForMail, type MailListener } from '../../src/pings/mail/mail-requests.responder.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';

const domain = 'ping.example';

describeEachDialect('a failure that a mail reports', (open) => {
  let app: TestApp;
  let mailbox: MailServer;
  let mails: MailListener;
  const failures: string[] = [];

  beforeAll(async () => {
    mailbox = await startMailServer();
    const smtp = { url: mailbox.url, from: 'alerts@monitor.example' };
    app = await openTestApp(open, {}, { senderAccounts: { smtp }, logTo: { write: noteFailure } });
    mails = await listenForMail(app, { host: '127.0.0.1', port: 0, domain, sizeLimit: 15_000_000 });
  });
  afterAll(async () => {
    await mails.close();
    await app.close();
    await mailbox.close();
  });

  function noteFailure(line: string): void {
    const { event, error } = JSON.parse(line) as { event: string; error?: Error };
    if (event === 'mail.failed') failures.push(String(error?.message));
  }

  // PostgreSQL ends a statement at its limit, or the service does so when the server does not
  const timedOut =
    /canceling statement due to statement timeout|the server left a statement without an answer for \d+ ms/;

  /** As a mail server sends: again after an answer 4xx, which here only a statement may cause that took too long. */
  async function sendUntilTaken(send: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await send();
        return;
      } catch (error) {
        if (attempt === 5 || (error as { responseCode?: number }).responseCode !== 451) throw error;
        expect(failures).toHaveLength(attempt);
        expect(failures.at(-1)).toMatch(timedOut);
      }
    }
  }

  test('arrives by mail although the report is larger than mail servers take', async () => {
    const ada = await app.newProject();
    const settings = { address: 'ada@example.org', tz: 'Europe/Riga' };
    const channel = { projectId: ada.keys.projectId, kind: 'email' as const, name: 'Ada', settings };
    await createChannel(app.accounts, { ...channel, isVerified: true });
    const { uuid } = await ada.check({ channels: '*', filter_subject: true, failure_kw: 'FAILED' });
    const transport = createTransport({ host: '127.0.0.1', port: mails.port, ignoreTLS: true });
    const attachments = [{ filename: 'log.gz', content: Buffer.alloc(9_000_000) }];
    const report = { from: 'cron@host.example', to: `${uuid}@${domain}`, subject: 'Nightly FAILED' };
    await sendUntilTaken(() => transport.sendMail({ ...report, text: 'disk full', attachments }));
    transport.close();

    mailbox.limit(10_000_000, 552, '5.3.4 Message size exceeds fixed limit');
    await app.tick();
    await app.deliver();
    expect(mailbox.mails.map(({ subject }) => subject)).toEqual(['DOWN | unnamed check']);
    const [{ text = '' } = {}] = mailbox.mails;
    expect(text).toContain('Went Down: 2026-01-01 14:00:00 UTC+02:00 (Europe/Riga)');
    expect(text).toContain('Last Ping By: email from 127.0.0.1\nLast Ping Subject: Nightly FAILED\n');
    expect(text).toContain('See the attachment. Left out: application/x-gzip of 9.0 MB.');
    expect(mailbox.sources[0]).toContain('disk full');
  });
});
