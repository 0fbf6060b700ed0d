import type { EventView } from '../event-view.js';
import { bodyBlock, factLines, joinBlocks, linkBlock, markdown, othersBlock } from '../markup.js';

const mostOctets = 20_000;

/** Message of Gotify, in Markdown. */
export function gotifyMessage(view: EventView, priority: number): object {
  const blocks = [
    view.explanation === '' ? undefined : markdown.plain(view.sentence),
    factLines(view, markdown, mostOctets / 2),
    bodyBlock(view, markdown),
    othersBlock(view, markdown),
    linkBlock(view, markdown),
  ];
  return {
    title: view.title,
    message: joinBlocks(blocks, mostOctets),
    priority,
    extras: {
      'client::display': { contentType: 'text/markdown' },
      'client::notification': { click: { url: view.link } },
    },
  };
}
