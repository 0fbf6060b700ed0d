import { z } from 'zod';
import { UsageError } from '../faults/command-errors.js';
import { isAddress, isSecret } from './connection-values.js';

const addressSchema = z.string().refine(isAddress);
const secretSchema = z.string().refine(isSecret);

/** Addresses and credentials of the services; the credentials file of `npm start` has this form too. */
export const connectionSchema = z.object({
  certManager: z
    .object({
      url: addressSchema,
      token: secretSchema,
      /** Present if log-in created the token, so that log-out revokes it. */
      tokenId: z.string().optional(),
      username: z.string().optional(),
      /** Password of the user, to complete what only a session may list; contexts do not store it. */
      password: z.string().optional(),
    })
    .optional(),
  checkMonitor: z
    .object({
      url: addressSchema,
      readWriteKey: secretSchema.optional(),
      /** Id of the project of the key; absent where the file does not say. */
      projectId: z.string().optional(),
      /** Account for what no key may do; if the password is absent, the command asks for it. */
      email: z.string().optional(),
      password: z.string().optional(),
      /** Whether log-in created the key, so that log-out revokes it. */
      isOwn: z.boolean().optional(),
    })
    .optional(),
  dummyCa: z.object({ url: addressSchema }).optional(),
});
export type Connection = z.output<typeof connectionSchema>;

const contextSchema = connectionSchema.extend({
  /** Default of `--space`. */
  space: z.string().optional(),
  /** Default of `--project`. */
  project: z.string().optional(),
});
/** A connection with defaults, under a name. */
export type Context = z.output<typeof contextSchema>;

const contextsSchema = z.object({ current: z.string(), contexts: z.record(z.string(), contextSchema) });
/** All contexts, and the name of the default one, which may not exist yet. */
export type Contexts = z.output<typeof contextsSchema>;

const defaultName = 'default';

export const noContexts: Contexts = { current: defaultName, contexts: {} };

/** Reads the text of a file of contexts, or of one log-in as earlier versions stored it; undefined for others. */
export function parseContexts(text: string): Contexts | undefined {
  const value = jsonOf(text);
  if (typeof value === 'object' && value !== null && 'contexts' in value)
    return contextsSchema.safeParse(value).data;
  const earlier = parseConnection(text);
  return earlier && { current: defaultName, contexts: { [defaultName]: earlier } };
}

/** Reads the text of a credentials file; undefined for others. */
export function parseConnection(text: string): Connection | undefined {
  return connectionSchema.safeParse(jsonOf(text)).data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A connection as a context stores it: a password is typed at each log-in. */
export function withoutPassword({ certManager, checkMonitor, ...connection }: Connection): Connection {
  const { password: _, ...monitor } = checkMonitor ?? {};
  const { password: __, ...manager } = certManager ?? {};
  return {
    ...connection,
    ...(certManager && { certManager: { url: certManager.url, token: certManager.token, ...manager } }),
    ...(checkMonitor && { checkMonitor: { url: checkMonitor.url, ...monitor } }),
  };
}

/** The context of a name. Throws UsageError that names the commands that help. */
export function requireContext({ contexts }: Contexts, name: string): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  throw new UsageError(
    `there is no context ${name}; certloop contexts lists them, and certloop login --context ${name} creates it`,
  );
}

/** Throws UsageError for a name that cannot be typed as one word. */
export function requireContextName(name: string): void {
  if (!/^[A-Za-z0-9][\w.@-]{0,63}$/.test(name))
    throw new UsageError(
      `${name} cannot name a context: use 1 to 64 letters, digits and . _ @ -, beginning with a letter or a digit`,
    );
}

/** The contexts with a new or changed one. The first one becomes the default. */
export function withContext({ current, contexts }: Contexts, name: string, context: Context): Contexts {
  const used = Object.hasOwn(contexts, current) ? current : name;
  return { current: used, contexts: { ...contexts, [name]: context } };
}

/** The contexts without the one of this name. */
export function withoutContext({ current, contexts }: Contexts, name: string): Contexts {
  const left = Object.entries(contexts).filter(([each]) => each !== name);
  return { current, contexts: Object.fromEntries(left) };
}
