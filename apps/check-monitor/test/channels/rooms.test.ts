import { describe, expect, test } from '@jest/globals';
import { createGoogleChat } from '../../src/integrations/kinds/google-chat/google-chat.channel.js';
import { createGotify } from '../../src/integrations/kinds/gotify/gotify.channel.js';
import { gotifySettings } from '../../src/integrations/kinds/gotify/gotify-kind.js';
import { createMatrix } from '../../src/integrations/kinds/matrix/matrix.channel.js';
import { createTeams } from '../../src/integrations/kinds/teams/teams.channel.js';
import { aDelivery, anEvent, aRecovery, viewOf } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();
const hostile = anEvent({ check: { name: '<b>*x*</b>' } });

describe('Microsoft Teams', () => {
  test('is shown a card', async () => {
    const teams = createTeams(target.send);
    expect(await teams.deliver(aDelivery({ url: target.server.url }, hostile))).toEqual({ ok: true });
    const link = viewOf(hostile).link;
    expect(target.json()).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.2',
            body: [
              {
                type: 'TextBlock',
                text: expect.stringContaining('“&lt;b&gt;\u034f*x\u034f*&lt;/b&gt;” is DOWN'),
              },
              { type: 'FactSet', facts: expect.arrayContaining([{ title: 'Project:', value: 'Jobs' }]) },
              { type: 'TextBlock', text: 'Last Ping Body:' },
              { type: 'CodeBlock', codeSnippet: 'done', language: 'PlainText' },
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'View on Monitor', url: link }],
          },
        },
      ],
    });
  });
});

describe('Google Chat', () => {
  test('is shown a card', async () => {
    const chat = createGoogleChat(target.send);
    const body = Buffer.from('a < b\nc');
    const lastPing = { n: 112, signal: 'fail', at: 0, exitStatus: null, isMail: false, body } as const;
    await chat.deliver(aDelivery({ url: `${target.server.url}/v1?key=k` }, { ...hostile, lastPing }));
    expect(target.server.requests[0]?.path).toBe('/v1?key=k');
    const { cardsV2 } = target.json() as { cardsV2: [{ card: { sections: [{ widgets: object[] }] } }] };
    const [first, ...rest] = cardsV2[0].card.sections[0].widgets;
    expect(first).toEqual({
      textParagraph: {
        text: expect.stringMatching(/^🔴 The check <b>&lt;b&gt;\*x\*&lt;\/b&gt;<\/b> is <b>DOWN<\/b>\.<br>/),
      },
    });
    expect(rest).toContainEqual({ decoratedText: { topLabel: 'Project', text: 'Jobs', wrapText: true } });
    expect(rest).toContainEqual({ textParagraph: { text: '<b>Last Ping Body:</b><br>a &lt; b<br>c' } });
    expect(rest.at(-1)).toEqual({
      buttonList: {
        buttons: [{ text: 'View on Monitor', onClick: { openLink: { url: viewOf(hostile).link } } }],
      },
    });
  });
});

describe('Matrix', () => {
  const account = () => ({ homeserverUrl: target.server.url, accessToken: 'secret' });
  const settings = { roomId: '!room/1:example.org' };

  test('is told in a room, each delivery being a transaction', async () => {
    const matrix = createMatrix({ send: target.send, account: account() });
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
    const matrix = createMatrix({ send: target.send, account: account() });
    expect(await matrix.deliver(aDelivery(settings))).toEqual({
      ...{ ok: false, error: 'Received status code 403', permanent: false },
    });
  });

  test('is missing its account where there is none', () => {
    expect(createMatrix({ send: target.send, account: undefined }).missing).toMatch(/MATRIX/);
  });
});

describe('Gotify', () => {
  test.each([
    ['the root of the server', ''],
    ['a trailing slash', '/'],
    ['a path', '/gotify'],
  ])('is told at %s', async (_situation, path) => {
    const settings = gotifySettings.parse({ url: target.server.url + path, token: 'A&b' });
    expect(await createGotify(target.send).deliver(aDelivery(settings))).toEqual({ ok: true });
    const base = path.replace(/\/$/, '');
    expect(target.server.requests[0]?.path).toBe(`${base}/message?token=A%26b`);
  });

  test('shows Markdown with the priority of the direction', async () => {
    const settings = gotifySettings.parse({ url: target.server.url, token: 'A', priorityUp: 1 });
    await createGotify(target.send).deliver(aDelivery(settings, aRecovery()));
    expect(target.json()).toMatchObject({
      title: 'Backup is UP',
      message: expect.stringContaining('**Project:** Jobs'),
      priority: 1,
      extras: { 'client::display': { contentType: 'text/markdown' } },
    });
  });

  test.each<[string, object, boolean, boolean]>([
    ['no priorities', {}, true, true],
    ['priority 0 for down', { priorityDown: 0, priorityUp: 5 }, false, true],
    ['priority 0 for up', { priorityDown: 5, priorityUp: 0 }, true, false],
  ])('sends what its priorities allow: %s', (_situation, priorities, down, up) => {
    const settings = gotifySettings.parse({ url: target.server.url, token: 'A', ...priorities });
    const gotify = createGotify(target.send);
    expect([gotify.tells(settings, 'down'), gotify.tells(settings, 'up')]).toEqual([down, up]);
  });

  test('leaves the priority to the server where none is set', async () => {
    const settings = gotifySettings.parse({ url: target.server.url, token: 'A' });
    await createGotify(target.send).deliver(aDelivery(settings));
    expect(target.json()).not.toHaveProperty('priority');
  });
});
