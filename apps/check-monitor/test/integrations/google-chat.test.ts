import { describe, expect, test } from 'vitest';
import { googlechatIntegration } from '../../src/integrations/kinds/google-chat/google-chat.channel.js';
import { aDelivery, anEvent, viewOf } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();
const hostile = anEvent({ check: { name: '<b>*x*</b>' } });

describe('Google Chat', () => {
  test('is shown a card', async () => {
    const chat = googlechatIntegration(target.deps());
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
