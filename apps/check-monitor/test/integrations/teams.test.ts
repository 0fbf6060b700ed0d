import { describe, expect, test } from 'vitest';
import { msteamswIntegration } from '../../src/integrations/kinds/teams/teams.channel.js';
import { aDelivery, anEvent, viewOf } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();
const hostile = anEvent({ check: { name: '<b>*x*</b>' } });

describe('Microsoft Teams', () => {
  test('is shown a card', async () => {
    const teams = msteamswIntegration(target.deps());
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
