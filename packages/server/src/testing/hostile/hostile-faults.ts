import type { HostileServer } from './hostile-server.js';
import { type HostileCase, hostileCases, type SenderTraits } from './hostile-table.js';

/** A sender under test. */
interface HostileSender extends SenderTraits {
  /** Sends a message to an address; returns why it did not arrive, or undefined. `isSilent`: no response will come. */
  readonly send: (url: string, about: { readonly isSilent: boolean }) => Promise<string | undefined>;
  /** A part of the message, which must still be there after a redirect. */
  readonly body?: string;
  /** A header that must be there after a redirect within the origin. */
  readonly header?: string;
}

/** Returns what a sender does wrong with the hostile server, one sentence each; none if all is well. */
export async function hostileFaults(server: HostileServer, sender: HostileSender): Promise<string[]> {
  const faults: string[] = [];
  for (const expected of hostileCases(sender)) {
    server.reset();
    const reason = await sender.send(`${server.url}/${expected.way}`, {
      isSilent: expected.way === 'silent',
    });
    faults.push(
      ...[outcomeFault(expected, reason), placeFault(server, sender, expected)].flatMap((f) => f ?? []),
    );
  }
  return faults;
}

function outcomeFault({ way, arrives, reason }: HostileCase, said: string | undefined): string | undefined {
  if (arrives) return said === undefined ? undefined : `${way}: it should arrive, but: ${said}`;
  if (said === undefined) return `${way}: it counts as arrived`;
  return reason === undefined || reason.test(said) ? undefined : `${way}: the reason is: ${said}`;
}

function placeFault(
  server: HostileServer,
  { method, body, header }: HostileSender,
  { way, foundAt }: HostileCase,
): string | undefined {
  const counts = { arrived: server.arrived.length, elsewhere: server.elsewhere.length };
  const wanted = { arrived: 0, elsewhere: 0, ...(foundAt !== undefined && { [foundAt]: 1 }) };
  if (counts.arrived !== wanted.arrived || counts.elsewhere !== wanted.elsewhere)
    return `${way}: ${counts.arrived} at the server, ${counts.elsewhere} elsewhere`;
  const [found] = foundAt === undefined ? [] : server[foundAt];
  if (found === undefined) return undefined;
  if (found.method !== method) return `${way}: ${method} became ${found.method}`;
  if (body !== undefined && !found.body.includes(body)) return `${way}: the body became '${found.body}'`;
  const hasHeader = header === undefined || found.headers[header] !== undefined;
  return foundAt === 'elsewhere' || hasHeader ? undefined : `${way}: ${header} is missing`;
}
