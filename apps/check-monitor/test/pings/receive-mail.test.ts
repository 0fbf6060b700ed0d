import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { createTransport } from 'nodemailer';
import type Mail from 'nodemailer/lib/mailer/index.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { schema } from '../../src/database.js';
import { createPingIntake } from '../../src/pings/intake/receive-ping.service.js';
import { listenForMail, type MailListener } from '../../src/pings/mail/mail-requests.responder.js';
import { describeMonitor, type Stage } from '../support/suite.js';

/** Only setTimeout stands still. */
const domain = 'ping.example';

const suite = (stage: Stage) => {
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

  test('is a success of the check that its address names, stored whole', async () => {
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

  test('is evaluated by subject and body if the check is set to', async () => {
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

  test('of thousands of parts is evaluated by its first text', async () => {
    const { uuid } = await stage.ada.check({
      filter_body: true,
      success_kw: 'done',
      filter_default_fail: true,
    });
    const parts = '--part\r\nContent-Type: text/plain\r\n\r\ndone\r\n'.repeat(1500);
    const raw = `Content-Type: multipart/mixed; boundary=part\r\n\r\n${parts}--part--\r\n`;
    await send({ envelope: { from: 'cron@host.example', to: `${uuid}@${domain}` }, raw });
    expect(await pingsOf(uuid)).toMatchObject([{ type: 'success' }]);
  });

  test('counts as ignored if it contains none of the keywords', async () => {
    const { uuid } = await stage.ada.check({ filter_body: true, success_kw: 'done' });
    const raw = 'Content-Type: multipart/mixed\r\n\r\ndone\r\n';
    await send({ envelope: { from: 'cron@host.example', to: `${uuid}@${domain}` }, raw });
    expect(await pingsOf(uuid)).toMatchObject([{ type: 'ign' }]);
  });

  test('to an unknown check, or to several checks of one slug, is dropped', async () => {
    await stage.ada.check({ slug: 'twin' });
    await stage.ada.check({ slug: 'twin' });
    await send({ to: `${stage.ada.keys.pingKey}+twin@${domain}` });
    await send({ to: `00000000-0000-4000-8000-000000000000@${domain}` });
    const counted = await stage.app.http.get('/metrics').expect(200);
    expect(counted.text).toMatch(/^check_monitor_pings_total\{kind="mail",answer="conflict"\} 1$/m);
    expect(counted.text).toMatch(/^check_monitor_pings_total\{kind="mail",answer="not_found"\} 1$/m);
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

  test('that arrives in pieces and has lines with leading dots is stored unchanged', async () => {
    const { uuid } = await stage.ada.check();
    const text = `${'.\r\n..\r\n'.repeat(5000)}end`;
    await send({ to: `${uuid}@${domain}`, text });
    const { text: stored } = await stage.ada.get(`/checks/${uuid}/pings/1/body`).buffer(true).expect(200);
    expect(stored).toContain(text);
  });

  test('to more than a hundred checks at once is refused for those beyond', async () => {
    const client = await connectTo('127.0.0.1');
    await client.say('EHLO x\r\nMAIL FROM:<a@b.example>');
    const answers = [];
    for (let count = 0; count < 101; count += 1) {
      const mailbox = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
      answers.push(await client.say(`RCPT TO:<${mailbox}@${domain}>`));
    }
    expect([answers[99], answers[100]]).toEqual([
      expect.stringMatching(/^250 /),
      expect.stringMatching(/^452 /),
    ]);
    client.close();
  });

  test('is greeted with the domain, not with the name of the machine', async () => {
    const client = await connectTo('127.0.0.1');
    expect(client.greeting).toBe('220 ping.example ESMTP');
    client.close();
  });

  test('is accepted although another address has 50 open connections', async () => {
    const clients = await Promise.all(Array.from({ length: 50 }, () => connectTo('127.0.0.2')));
    const greetings = clients.map(({ greeting }) => greeting);
    const refusal = '421 ping.example Too many connections from your address, try again in a moment';
    expect(greetings.filter((greeting) => greeting.startsWith('220 '))).toHaveLength(20);
    expect(greetings.filter((greeting) => greeting === refusal)).toHaveLength(30);
    const { uuid } = await stage.ada.check();
    await send({ to: `${uuid}@${domain}` });
    expect(await pingsOf(uuid)).toHaveLength(1);

    for (const client of clients) client.close();
    await until(async () => {
      const client = await connectTo('127.0.0.2');
      client.close();
      return client.greeting.startsWith('220 ');
    });
  });

  test('delays a shutdown by one second at most', async () => {
    const listener = await listenForMail(stage.app, { host: '127.0.0.1', port: 0, domain, sizeLimit: 1000 });
    const client = await connectTo('127.0.0.1', listener.port);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const closed = listener.close();
      vi.advanceTimersByTime(1000);
      await closed;
    } finally {
      vi.useRealTimers();
    }
    expect(await client.answer()).toMatch(/^421 /);
  });

  /** A client that speaks line by line, from an address of this machine. */
  const connectTo = async (localAddress: string, port = mails.port) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    const lines = createInterface(socket)[Symbol.asyncIterator]();
    const answer = async () => {
      for (;;) {
        const { value = '' } = await lines.next();
        if (!/^\d{3}-/.test(value)) return String(value);
      }
    };
    const greeting = await answer();
    return {
      greeting,
      answer,
      /** Sends a line, or several, and resolves with the answer to the last one. */
      say: async (text: string) => {
        let said = '';
        for (const line of text.split('\r\n')) {
          socket.write(`${line}\r\n`);
          said = await answer();
        }
        return said;
      },
      close: () => socket.destroy(),
    };
  };
};

describeMonitor('mail', suite, { metricsOpen: true });

test('when its port is taken, the listener says so in a sentence', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const logger = createLogger({ service: 'check-monitor', level: 'silent' });
  const deps = { logger } as Parameters<typeof listenForMail>[0];
  const listening = listenForMail(deps, { host: '127.0.0.1', port, domain, sizeLimit: 1000 });
  await expect(listening).rejects.toMatchObject({
    name: 'StartFailed',
    message: `port ${port} on 127.0.0.1 is already in use`,
  });
  await new Promise((resolve) => taken.close(resolve));
});

describeEachDialect('mail while the database is unavailable', (open) => {
  test('is deferred, so that its sender retries', async () => {
    const { database } = await open(schema);
    const logger = createLogger({ service: 'check-monitor', level: 'silent' });
    const deps = {
      db: database,
      logger,
      clock: { now: () => 0 },
      newUuid: randomUUID,
      checkLimit: 20,
      pingLimit: 100,
    };
    const intake = createPingIntake(deps);
    const options = { host: '127.0.0.1', port: 0, domain, sizeLimit: 100_000 };
    const listener = await listenForMail({ intake, logger }, options);
    await database.close();
    const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
    const mail = { from: 'a@b.example', to: `00000000-0000-4000-8000-000000000000@${domain}`, text: 'done' };
    await expect(transport.sendMail(mail)).rejects.toMatchObject({ responseCode: 451 });
    transport.close();
    await listener.close();
  });
});
