import { z } from 'zod';
import { documentOf } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';

export const telegramSettings = z.strictObject({
  /** Number of a chat, or the `@name` of a public one. */
  chatId: z.union(
    [z.int(), z.string().regex(/^@[A-Za-z0-9_]{1,64}$/)],
    'must be the number or @name of a chat',
  ),
  /** Topic of a forum. */
  threadId: z.int().positive().nullable().default(null),
});
export type TelegramSettings = z.output<typeof telegramSettings>;

/** A chat that the bot of this service is in. */
export const telegram: Kind = {
  label: 'Telegram',
  settings: telegramSettings,
  secrets: [],
  isForPeople: true,
  fromHealthchecks: (value) => {
    const { id: chatId, thread_id: threadId } = documentOf(value);
    return { chatId, threadId: threadId ?? null };
  },
};
