import { AppError } from '@certloop/contracts';
import { type ChannelKind, findKind, parseChannelSettings } from '../integrations/channel-kinds.js';

/** What an integration of Healthchecks becomes, or why it cannot come along. */
export type Integration =
  | { readonly kind: ChannelKind; readonly settings: object }
  | { readonly kind: 'group'; readonly members: readonly string[] }
  | { readonly reason: string };

type Document = Readonly<Record<string, unknown>>;

/** Reads kind and value of an integration, which holds its secrets. A reason never quotes the value. */
export function integrationOf(kindName: string, value: string): Integration {
  const kind = findKind(kindName);
  if (kind === undefined) return { reason: `check-monitor has no integrations of the kind ${kindName}` };
  if (kind === 'group') return { kind, members: value.split(',').map((word) => word.trim().toLowerCase()) };
  try {
    return { kind, settings: parseChannelSettings(kind, settingsOf[kind](value)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { reason: 'its settings are not JSON' };
    if (error instanceof AppError) return { reason: error.message };
    throw error;
  }
}

const settingsOf: Readonly<Record<Exclude<ChannelKind, 'group'>, (value: string) => unknown>> = {
  email: (value) => {
    const { value: address, ...directions } = documentOr(value, { value, up: true, down: true });
    return { address, down: directions['down'], up: directions['up'] };
  },
  webhook: (value) => {
    const document = documentOf(value);
    return { down: callOf(document, 'down'), up: callOf(document, 'up') };
  },
  slack: (value) => ({
    url: at(documentOr(value, { incoming_webhook: { url: value } }), 'incoming_webhook', 'url'),
  }),
  mattermost: (url) => ({ url }),
  discord: (value) => {
    const url = at(documentOf(value), 'webhook', 'url');
    // the address of before 2020, which Discord no longer serves
    return {
      url:
        typeof url === 'string' ? url.replace(/^https:\/\/discordapp\.com\//, 'https://discord.com/') : url,
    };
  },
  googlechat: (url) => ({ url }),
  msteamsw: (url) => ({ url }),
  matrix: (roomId) => ({ roomId }),
  signal: (value) => {
    const { value: recipient, down, up } = documentOf(value);
    return { recipient, down: down ?? true, up: up ?? true };
  },
  gotify: (value) => {
    const { url, token, priority, priority_up: priorityUp } = documentOf(value);
    return { url, token, ...defined({ priorityDown: priority, priorityUp }) };
  },
  ntfy: (value) => {
    const { url, topic, token, priority: priorityDown, priority_up: priorityUp } = documentOf(value);
    return { url, topic, priorityDown, priorityUp, ...defined({ token }) };
  },
  opsgenie: (value) => {
    const { key, region } = documentOf(value);
    return { key, region };
  },
  pd: (value) => ({ serviceKey: documentOr(value, { service_key: value })['service_key'] }),
  telegram: (value) => {
    const { id: chatId, thread_id: threadId } = documentOf(value);
    return { chatId, threadId: threadId ?? null };
  },
  po: (value) => {
    const [userKey, down = '', up = down] = value.split('|');
    return { userKey, priorityDown: Number(down), priorityUp: Number(up) };
  },
};

/** The call of a direction; null where it has no address. */
function callOf(document: Document, direction: 'down' | 'up'): unknown {
  const url = document[`url_${direction}`];
  if (url === '' || url === undefined) return null;
  const [method, body] = [document[`method_${direction}`], document[`body_${direction}`]];
  return { url, ...defined({ method, body, headers: document[`headers_${direction}`] }) };
}

/** Members that are there; what is null is not. */
function defined(members: Document): Document {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Throws SyntaxError for what is not a JSON object. */
function documentOf(value: string): Document {
  const document: unknown = JSON.parse(value);
  if (typeof document === 'object' && document !== null && !Array.isArray(document))
    return document as Document;
  throw new SyntaxError('not an object');
}

/** The same; `plain` where the value is not JSON but a text, as older versions wrote it. */
function documentOr(value: string, plain: Document): Document {
  return value.startsWith('{') ? documentOf(value) : plain;
}

function at(document: Document, ...path: readonly string[]): unknown {
  let found: unknown = document;
  for (const name of path) found = (found as Document | null | undefined)?.[name];
  return found;
}
