import { stretchExcess } from '@certloop/server/testing';
import type supertest from 'supertest';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { describeMonitor } from '../support/suite.js';

const words = (count: number) => Array.from({ length: count }, (_, n) => String.fromCharCode(0x4e00 + n));
const blanks = '%20'.repeat(4000);

describeMonitor('the largest inputs that a caller with the key of one project may send', (stage) => {
  let uuid: string;
  let person: Browser;
  let project: string;

  beforeAll(async () => {
    person = await newPerson(stage);
    project = await newProject(person);
    for (let n = 0; n < 20; n += 1) {
      const tags = words(5_000).slice(n * 249, n * 249 + 249);
      const made = await person.send('post', `/projects/${project}/v3/checks/`, { tags: tags.join(' ') });
      expect(made.status).toBe(201);
    }
  });
  beforeEach(async () => {
    const tags = words(250).join(' ');
    ({ uuid } = await stage.ada.check({ name: 'a', tags, desc: 'é'.repeat(10_000) }));
  });

  async function expectTurns(call: () => supertest.Test): Promise<void> {
    const work = async () => expect((await call()).status).toBeLessThan(500);
    expect(await stretchExcess(50, work)).toBeUndefined();
  }

  test.each<[string, () => string]>([
    ['flips with a number among blanks', () => `/checks/${uuid}/flips/?seconds=x${blanks}x`],
    ['flips with a very long number', () => `/checks/${uuid}/flips/?start=${'1_'.repeat(6000)}1`],
    [
      'checks with many tags',
      () =>
        `/checks/?${words(250)
          .map((tag) => `tag=${encodeURIComponent(tag)}`)
          .join('&')}`,
    ],
    ['checks with one tag often', () => `/checks/?${'tag=a&'.repeat(2500)}`],
    ['checks with a long slug', () => `/checks/?slug=${'a'.repeat(14_000)}`],
    ['badges', () => '/badges/'],
  ])('a read-only key, %s: below 50 ms between turns', async (_situation, path) => {
    const at = path();
    await expectTurns(() => stage.ada.peek(at));
  });

  test.each<[string, object]>([
    ['a schedule of very many terms', { schedule: `${'1,'.repeat(45)}1 * * * *` }],
    ['a schedule that comes in leap years', { schedule: '* * 29 2 */7', tz: 'Australia/Lord_Howe' }],
    ['a day that never comes', { schedule: '0 0 30 2 *' }],
    ['lines of rare days', { schedule: Array<string>(9).fill('Sun *-2-29').join('\n') }],
    [
      'times that the clocks skip',
      { schedule: 'Sun *-03-25..31 02:*:*\nSun *-03-25..31 02:*', tz: 'Europe/Rome' },
    ],
    ['a schedule of blanks', { schedule: `*${' '.repeat(95)}x` }],
    ['very many integrations', { channels: '00000000-0000-4000-8000-000000000000,'.repeat(1700) }],
    ['a long name with a slug', { name: `${'_'.repeat(99)}x` }],
    ['many tags', { tags: words(250).join(' ') }],
  ])('a check with %s: below 50 ms between turns', async (_situation, parameters) => {
    await expectTurns(() => stage.ada.post(`/checks/${uuid}`, parameters));
  });

  test('a ping with a body that nearly has each keyword: below 50 ms between turns', async () => {
    const keywords = Array.from({ length: 50 }, (_, n) => `a${String.fromCharCode(98 + (n % 24))}b`);
    const list = keywords.join(',').slice(0, 200);
    const lists = { success_kw: list, failure_kw: list, start_kw: list, filter_http_body: true };
    await stage.ada.post(`/checks/${uuid}`, lists).expect(200);
    const call = () => stage.app.http.post(`/ping/${uuid}`).send('a'.repeat(100_000));
    await expectTurns(call);
  });

  test.each<[string, () => string]>([
    ['badges of 5,000 tags', () => `/projects/${project}/v3/badges/`],
    [
      'checks with 50 tags',
      () =>
        `/projects/${project}/checks?${words(50)
          .map((tag) => `tag=${encodeURIComponent(tag)}`)
          .join('&')}`,
    ],
    ['a long search', () => `/projects/${project}/checks?q=${'a'.repeat(200)}`],
    [
      'a preview of leap days',
      () => '/schedule-preview?kind=cron&schedule=0+0+29+2+*&tz=America/Chicago&count=10',
    ],
    [
      'a preview of rare lines',
      () =>
        `/schedule-preview?kind=oncalendar&schedule=${encodeURIComponent(Array<string>(9).fill('Sun *-2-29').join('\n'))}&count=10`,
    ],
    ['a preview of blanks', () => `/schedule-preview?kind=cron&schedule=x${blanks}x&count=10`],
  ])('a member, %s: below 50 ms between turns', async (_situation, path) => {
    await expectTurns(() => person.get(path()));
  });
});
