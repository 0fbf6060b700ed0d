import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { began, openTestApp, type TestApp } from '../support/app.js';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import type { Stage } from '../support/suite.js';

const dayMs = 86_400_000;

describeEachDialect('mails that ask for consent', (open) => {
  let app: TestApp;
  let mailbox: MailServer;
  let ada: Browser;
  let base: string;
  let addresses = 0;

  beforeAll(async () => {
    mailbox = await startMailServer();
    const smtp = { url: mailbox.url, from: 'Monitor <alerts@monitor.example>' };
    app = await openTestApp(open, {}, { senderAccounts: { smtp } });
  });
  beforeEach(async () => {
    app.clock.set(began);
    ada = await newPerson({ app } as Stage);
    base = `/projects/${await newProject(ada)}/channels`;
  });
  afterEach(() => mailbox.reset());
  afterAll(async () => {
    await app.close();
    await mailbox.close();
  });

  const newAddress = () => {
    addresses += 1;
    return `person${addresses}@example.net`;
  };
  const add = (address: string, by = ada, at = base) =>
    by.send('post', at, { kind: 'email', name: 'Mail', settings: { address } });
  const linkIn = (at = 0) =>
    /https:\/\/monitor\.example(\/integrations\S+)/.exec(mailbox.mails[at]?.text ?? '')?.[1] ?? '';
  const later = async (days: number) => {
    app.clock.advance(days * dayMs);
    await ada.signIn();
  };

  test('go to an address once a day, for all users together, in any case of its letters', async () => {
    const address = newAddress();
    await add(address).expect(201);
    const { body, headers } = await add(address.toUpperCase()).expect(429);
    expect(body.error).toBe(
      'settings.address: a confirmation mail was sent there already; try again in 86400 s',
    );
    expect(headers['retry-after']).toBe('86400');
    const ben = await newPerson({ app } as Stage);
    await add(address, ben, `/projects/${await newProject(ben)}/channels`).expect(429);
    expect(mailbox.mails).toHaveLength(1);
    const { channels } = (await ada.get(base).expect(200)).body;
    expect(channels).toHaveLength(1);
    await later(1);
    await add(address).expect(201);
    expect(mailbox.mails).toHaveLength(2);
  });

  test('become rarer while no one answers, and not after an answer', async () => {
    const address = newAddress();
    await add(address).expect(201);
    for (const days of [1, 2, 4]) {
      await later(days - 0.1);
      await add(address).expect(429);
      await later(0.1);
      await add(address).expect(201);
    }
    expect(mailbox.mails).toHaveLength(4);
    await app.http.post(linkIn(3)).expect(200);
    await later(1);
    await add(address).expect(201);
    expect(mailbox.mails).toHaveLength(5);
  });

  test('do not go to an address for a year after its holder declined', async () => {
    const address = newAddress();
    await add(address).expect(201);
    expect((await app.http.get(linkIn()).expect(200)).text).toContain('formaction="?decline"');
    const { text } = await app.http.post(`${linkIn()}?decline`).expect(200);
    expect(text).toContain('You declined.');
    expect((await ada.get(base).expect(200)).body.channels).toEqual([]);
    await later(364);
    const { body } = await add(address).expect(400);
    expect(body.error).toBe('settings.address: its holder declined notifications; name another address');
    await later(1);
    await add(address).expect(201);
    expect(mailbox.mails).toHaveLength(2);
  });

  test('are ten an hour for each user', async () => {
    for (let count = 0; count < 10; count += 1) await add(newAddress()).expect(201);
    const { headers, body } = await add(newAddress()).expect(429);
    expect(headers['retry-after']).toBe('3600');
    expect(body.error).toBe('too many confirmation mails; try again in 3600 s');
    const ben = await newPerson({ app } as Stage);
    await add(newAddress(), ben, `/projects/${await newProject(ben)}/channels`).expect(201);
    expect(mailbox.mails).toHaveLength(11);
    // an address of one's own needs none
    await add(ada.email).expect(201);
  });

  test('are not sent twice by two requests at once', async () => {
    const address = newAddress();
    const statuses = await Promise.all([add(address), add(address), add(address)]);
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([201, 429, 429]);
    expect(mailbox.mails).toHaveLength(1);
  });

  test('are limited for an edited integration too, whose other settings change all the same', async () => {
    const [first, second] = [newAddress(), newAddress()];
    const { id } = (await add(first).expect(201)).body;
    await add(second).expect(201);
    const edit = (settings: object) => ada.send('put', `${base}/${id}`, { settings });
    await edit({ address: second }).expect(429);
    await edit({ address: first, up: false }).expect(200);
    expect(mailbox.mails).toHaveLength(2);
    // what is wrong uses up no mail
    const third = newAddress();
    await ada.send('post', base, { kind: 'email', name: ' ', settings: { address: third } }).expect(400);
    await edit({ address: third }).expect(200);
    expect(mailbox.mails).toHaveLength(3);
  });
});
