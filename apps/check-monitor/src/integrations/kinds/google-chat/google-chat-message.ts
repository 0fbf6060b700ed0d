import { factText } from '../../messages/event-facts.js';
import type { EventView } from '../../messages/event-view.js';
import { escapeHtml, htmlMarkup } from '../../messages/markup.js';
import { type Notice, noticeLines, noticeTitle } from '../../messages/notice.js';

/** Message with a card (cardsV2); its texts are a kind of HTML. */
export function googleChatMessage(view: EventView): object {
  const widgets = [
    { textParagraph: { text: headlineOf(view) } },
    ...view.facts.map((fact) => ({
      decoratedText: { topLabel: fact.label, text: escapeHtml(factText(fact)), wrapText: true },
    })),
    ...(view.body === undefined ? [] : [bodyParagraph(view.body)]),
    {
      buttonList: {
        buttons: [{ text: `View on ${view.siteName}`, onClick: { openLink: { url: view.link } } }],
      },
    },
  ];
  return cardMessage(view.sentence, widgets);
}

const maxNoticeOctets = 10_000;

/** A notice in the same form. */
export function googleChatNotice(notice: Notice): object {
  const lines = noticeLines(notice, { ...htmlMarkup, lineBreak: '<br>' }, maxNoticeOctets);
  const title = htmlMarkup.bold(noticeTitle(notice));
  return cardMessage(notice.title, [{ textParagraph: { text: `${title}<br><br>${lines}` } }]);
}

function cardMessage(fallbackText: string, widgets: readonly object[]): object {
  return { fallbackText, cardsV2: [{ cardId: 'alert', card: { sections: [{ widgets }] } }] };
}

function bodyParagraph(body: string): object {
  const lines = body.split(/\r?\n/).map(escapeHtml).join('<br>');
  return { textParagraph: { text: `<b>Last Ping Body:</b><br>${lines}` } };
}

function headlineOf({ name, status, statusWord, explanation }: EventView): string {
  const [sign, is] = status === 'up' ? ['🟢', 'is now'] : ['🔴', 'is'];
  const news = `${sign} The check <b>${escapeHtml(name)}</b> ${is} <b>${statusWord}</b>.`;
  return explanation === '' ? news : `${news}<br>${escapeHtml(explanation)}`;
}
