import { excessMs } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { watchStretches } from '@certloop/server/testing';
import { expect, test } from 'vitest';
import { events, insertEvent } from '../../src/events/events.repository.js';
import { notices } from '../../src/events/notices.repository.js';
import { startApp } from '../support/app.js';
import { seedEvents } from '../support/large-place.js';
import { startMailReceiver } from '../support/monitor/notice-receivers.js';

describeEachDialect('a digest of many events', (open, dialect) => {
  // SQLite works on the main thread, PostgreSQL elsewhere
  const count = dialect === 'sqlite' ? 100_000 : 10_000;

  test('sends one mail, prepared and deleted in batches that block nothing else', async () => {
    expect(await excessMs(50, sendAndSweep)).toBeUndefined();
  });

  /** The longest stretch of both, in CPU milliseconds. */
  async function sendAndSweep(): Promise<number> {
    const mail = await startMailReceiver();
    const environment = {
      NOTICE_SMTP_URL: mail.url,
      NOTICE_MAIL_FROM: 'certs@example.org',
      NOTICE_MAIL_TO: 'ada@example.org',
    };
    const app = await startApp(open, { environment });
    await app.database.transaction((tx) =>
      insertEvent(
        tx,
        { type: 'certificate.expiring', subject: 'host-0', data: { message: 'it expires' } },
        { destinations: ['mail'], now: app.clock.now() },
      ),
    );
    await seedEvents(app.database, count - 1);
    // the first commit after it checkpoints all of this
    await app.database.transaction((tx) => tx.query('update events set subject = subject where 1 = 0'));

    const sending = watchStretches();
    await app.sendNotices();
    const maxSendingMs = (await sending.stop()) ?? 0;
    expect(mail.mails.map(({ subject }) => subject)).toEqual([`[CertLoop] ${count} events`]);
    expect(mail.mails[0]?.text).toContain(`${count - 50} more events are not listed here.`);
    expect(await app.database.read((tx) => tx.count(notices))).toBe(0);

    app.clock.advance(31 * 86_400_000);
    const sweeping = watchStretches();
    await app.sweepNotices();
    const maxSweepingMs = (await sweeping.stop()) ?? 0;
    expect(await app.database.read((tx) => tx.count(events))).toBe(0);
    await app.close();
    await mail.close();
    return Math.max(maxSendingMs, maxSweepingMs);
  }
});
