import type { EventView } from '../event-view.js';
import {
  bodyBlock,
  factLines,
  htmlMarkup,
  joinBlocks,
  linkBlock,
  type Markup,
  plainText,
} from '../markup.js';

/** Homeservers refuse events of more than 64 KiB. */
const mostOctets = 20_000;

const html: Markup = { ...htmlMarkup, lineBreak: '<br>' };

/** Content of an m.room.message event, as text and as HTML. */
export function matrixMessage(view: EventView): object {
  const sign = view.status === 'up' ? '🟢' : '🔴';
  const blocks = (markup: Markup) => [
    `${sign} ${markup.bold(view.sentence)}`,
    factLines(view, markup, mostOctets / 2),
    bodyBlock(view, markup),
    linkBlock(view, markup),
  ];
  return {
    msgtype: 'm.text',
    body: joinBlocks(blocks(plainText), mostOctets),
    format: 'org.matrix.custom.html',
    formatted_body: joinBlocks(blocks(html), mostOctets, '<br><br>'),
  };
}
