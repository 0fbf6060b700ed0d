import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import type Mail from 'nodemailer/lib/mailer/index.js';
import { listenForMail, type MailListener } from '../src/pings/mail-requests.responder.js';
import { describeMonitor } from './support/suite.js';

const domain = 'ping.example';

describeMonitor('mail', (stage) => {
  let mails: MailListener;
  beforeAll(async () => {
    const options = { host: '127.0.0.1', port: 0, domain, sizeLimit: 100_000 };
    mails = await listenForMail(stage.app, options);
  });
  afterAll(() => mails.close());

  const send = async (mail: Mail.Options): Promise<void> => {
    const transport = createTransport({ host: '127.0.0.1', port: mails.port, ignoreTLS: true });
    try {
      await transport.sendMail({ from: 'cron@host.example', text: 'done', ...mail });
    } finally {
      transport.close();
    }
  };
  const pingsOf = async (uuid: string) =>
    (await stage.ada.get(`/checks/${uuid}/pings/`).expect(200)).body.pings;

  test('is a success of the check that its address names, kept whole', async () => {
    const { uuid } = await stage.ada.check();
    await send({ to: `${uuid}@${domain}`, subject: 'any', text: 'x'.repeat(20_000) });
    expect(await pingsOf(uuid)).toMatchObject([
      {
        type: 'success',
        n: 1,
        scheme: 'email',
        method: '',
        remote_addr: '127.0.0.1',
        ua: 'Email from cron@host.example',
        rid: null,
      },
    ]);
    const { text } = await stage.ada.get(`/checks/${uuid}/pings/1/body`).buffer(true).expect(200);
    expect(text).toContain('Subject: any');
    expect(text.length).toBeGreaterThan(20_000);
  });

  test('reaches a check by ping key and slug, and several checks at once', async () => {
    const one = await stage.ada.check({ slug: 'nightly' });
    const other = await stage.ada.check();
    await send({ to: [`${stage.ada.keys.pingKey}+nightly@${domain}`, `${other.uuid}@${domain}`] });
    expect(await pingsOf(one.uuid)).toHaveLength(1);
    expect(await pingsOf(other.uuid)).toHaveLength(1);
  });

  test('is judged by subject and body where the check says so', async () => {
    const { uuid } = await stage.ada.check({
      filter_subject: true,
      filter_body: true,
      success_kw: 'grün',
      failure_kw: 'brokendown',
    });
    await send({ to: `${uuid}@${domain}`, subject: 'Backup grün' });
    await send({ to: `${uuid}@${domain}`, subject: 'grün', html: '<p>broken<b>down</b></p>' });
    await send({ to: `${uuid}@${domain}`, subject: 'other' });
    const types = (await pingsOf(uuid)).map(({ type }: { type: string }) => type);
    expect(types).toEqual(['ign', 'fail', 'success']);
  });

  test('that cannot be taken apart is a mail without words', async () => {
    const plain = await stage.ada.check();
    const filtered = await stage.ada.check({
      filter_body: true,
      success_kw: 'done',
      filter_default_fail: true,
    });
    const to = [plain, filtered].map(({ uuid }) => `${uuid}@${domain}`);
    const parts = '--part\r\nContent-Type: text/plain\r\n\r\ndone\r\n'.repeat(1500);
    const raw = `Content-Type: multipart/mixed; boundary=part\r\n\r\n${parts}--part--\r\n`;
    await send({ envelope: { from: 'cron@host.example', to }, raw });
    expect(await pingsOf(plain.uuid)).toMatchObject([{ type: 'success' }]);
    expect(await pingsOf(filtered.uuid)).toMatchObject([{ type: 'fail' }]);
  });

  test('to a check that is not there, or to several of one slug, is dropped', async () => {
    await stage.ada.check({ slug: 'twin' });
    await stage.ada.check({ slug: 'twin' });
    await send({ to: `${stage.ada.keys.pingKey}+twin@${domain}` });
    await send({ to: `00000000-0000-4000-8000-000000000000@${domain}` });
  });

  test.each([
    ['another domain', 'a@other.example', '550 5.1.1 Recipient rejected'],
    ['no mailbox', `postmaster@${domain}`, '550 5.1.1 Invalid mailbox'],
  ])('to %s is refused', async (_situation, to, response) => {
    await expect(send({ to })).rejects.toMatchObject({ responseCode: 550, response });
  });

  test('that is too large is refused', async () => {
    const { uuid } = await stage.ada.check();
    const text = 'x '.repeat(100_000);
    await expect(send({ to: `${uuid}@${domain}`, text })).rejects.toMatchObject({ responseCode: 552 });
    expect(await pingsOf(uuid)).toEqual([]);
  });
});
