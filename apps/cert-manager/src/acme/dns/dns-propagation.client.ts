import type { DnsProof } from './dns-proof.js';
import type { DnsView } from './dns-view.client.js';

export interface PropagationTerms {
  readonly view: DnsView;
  readonly timeoutS: number;
  readonly intervalS: number;
}

/**
 * Waits until all name servers of the record's zone that respond return the record, or, if none of them responds, until
 * all resolvers do. Returns undefined then, or a sentence after `timeoutS`. The CA may see a record that cannot be seen
 * from here, so a timeout is not an error.
 */
export async function waitForRecord(
  { view, timeoutS, intervalS }: PropagationTerms,
  pause: (ms: number) => Promise<void>,
  record: DnsProof,
): Promise<string | undefined> {
  const begun = performance.now();
  const zone = await view.zoneOf(record.name);
  const servers = zone === undefined ? [] : await view.serversOf(zone);
  for (let pausedS = 0; ; pausedS += intervalS) {
    const shown = await Promise.all(servers.map((server) => view.shows(record, server)));
    const answers = shown.filter((isShown) => isShown !== undefined);
    const isThere = answers.length > 0 ? answers.every(Boolean) : (await view.shows(record)) === true;
    if (isThere) return undefined;
    const waitedS = Math.max(pausedS, (performance.now() - begun) / 1000);
    if (waitedS + intervalS > timeoutS) {
      const where = answers.length > 0 ? ` at ${shareWithout(answers)} name servers of ${zone}` : '';
      return `${record.name} TXT cannot be seen${where} from here after ${Math.floor(waitedS)} s`;
    }
    await pause(intervalS * 1000);
  }
}

function shareWithout(answers: readonly boolean[]): string {
  return `${answers.filter((isShown) => !isShown).length} of ${answers.length}`;
}
