import type { EventView } from '../../messages/event-view.js';
import {
  bodyBlock,
  factLines,
  htmlMarkup,
  joinBlocks,
  newsBlock,
  othersBlock,
} from '../../messages/markup.js';
import { type Notice, noticeLines, noticeTitle } from '../../messages/notice.js';
import type { TelegramSettings } from './telegram-kind.js';

/** Telegram refuses texts of more than 4096 characters after markup. */
const maxOctets = 4096;

/** Parameters of sendMessage of the bot API. */
export function telegramMessage(view: EventView, { chatId, threadId }: TelegramSettings): object {
  const blocks = [
    newsBlock(view, htmlMarkup),
    factLines(view, htmlMarkup, maxOctets / 2),
    othersBlock(view, htmlMarkup, htmlMarkup.link),
    bodyBlock(view, htmlMarkup),
  ];
  return {
    chat_id: chatId,
    ...(threadId === null ? {} : { message_thread_id: threadId }),
    text: joinBlocks(blocks, maxOctets),
    parse_mode: 'html',
    link_preview_options: { is_disabled: true },
  };
}

/** A notice, in the same form. */
export function telegramNotice(notice: Notice, { chatId, threadId }: TelegramSettings): object {
  const title = htmlMarkup.bold(noticeTitle(notice));
  return {
    chat_id: chatId,
    ...(threadId === null ? {} : { message_thread_id: threadId }),
    text: `${title}\n\n${noticeLines(notice, htmlMarkup, maxOctets - Buffer.byteLength(title))}`,
    parse_mode: 'html',
    link_preview_options: { is_disabled: true },
  };
}
