import { describe, expect, test } from 'vitest';
import { gotifyIntegration } from '../../src/integrations/kinds/gotify/gotify.channel.js';
import { gotifySettings } from '../../src/integrations/kinds/gotify/gotify-kind.js';
import { aDelivery, aRecovery } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();

describe('Gotify', () => {
  test.each([
    ['the root of the server', ''],
    ['a trailing slash', '/'],
    ['a path', '/gotify'],
  ])('is called at %s', async (_situation, path) => {
    const settings = gotifySettings.parse({ url: target.server.url + path, token: 'A&b' });
    expect(await gotifyIntegration(target.deps()).deliver(aDelivery(settings))).toEqual({ ok: true });
    const base = path.replace(/\/$/, '');
    expect(target.server.requests[0]?.path).toBe(`${base}/message?token=A%26b`);
  });

  test('shows Markdown with the priority of the direction', async () => {
    const settings = gotifySettings.parse({ url: target.server.url, token: 'A', priorityUp: 1 });
    await gotifyIntegration(target.deps()).deliver(aDelivery(settings, aRecovery()));
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
    const gotify = gotifyIntegration(target.deps());
    expect([gotify.shouldNotify(settings, 'down'), gotify.shouldNotify(settings, 'up')]).toEqual([down, up]);
  });

  test('sends no priority if none is set', async () => {
    const settings = gotifySettings.parse({ url: target.server.url, token: 'A' });
    await gotifyIntegration(target.deps()).deliver(aDelivery(settings));
    expect(target.json()).not.toHaveProperty('priority');
  });
});
