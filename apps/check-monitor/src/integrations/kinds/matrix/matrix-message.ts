import type { EventView } from '../../messages/event-view.js';
import {
  bodyBlock,
  factLines,
  htmlMarkup,
  joinBlocks,
  linkBlock,
  type Markup,
  newsBlock,
  othersBlock,
  plainText,
} from '../../messages/markup.js';
import { type Notice, noticeLines, noticeTitle } from '../../messages/notice.js';

/** Homeservers refuse events of more than 64 KiB. */
const maxOctets = 20_000;

const html: Markup = { ...htmlMarkup, lineBreak: '<br>' };

/** Content of an m.room.message event, as text and as HTML. */
export function matrixMessage(view: EventView): object {
  const blocks = (markup: Markup, news: string) => [
    news,
    factLines(view, markup, maxOctets / 2),
    bodyBlock(view, markup),
    othersBlock(view, markup, markup === html ? markup.link : markup.bold),
    linkBlock(view, markup),
  ];
  return {
    msgtype: 'm.text',
    body: joinBlocks(blocks(plainText, plainNews(view)), maxOctets),
    format: 'org.matrix.custom.html',
    formatted_body: joinBlocks(blocks(html, newsBlock(view, html)), maxOctets, '<br><br>'),
  };
}

/** First line of the text form, by which clients without HTML notify. */
function plainNews({ name, status, statusWord, reason, explanation }: EventView): string {
  if (status === 'up') return `${name} is now UP.${explanation === '' ? '' : ` ${explanation}`}`;
  return `${name} is ${statusWord}${reason === '' ? '' : ` (${reason})`}.`;
}

/** A notice in the same form. */
export function matrixNotice(notice: Notice): object {
  const text = (markup: Markup) =>
    [markup.bold(noticeTitle(notice)), noticeLines(notice, markup, maxOctets)].join(
      markup.lineBreak.repeat(2),
    );
  return {
    msgtype: 'm.text',
    body: text(plainText),
    format: 'org.matrix.custom.html',
    formatted_body: text(html),
  };
}
