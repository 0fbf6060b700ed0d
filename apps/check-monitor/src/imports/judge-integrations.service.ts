import { labelOf } from '../integrations/channel-kinds.js';
import { targetsOf } from '../integrations/channel-targets.js';
import type { ChannelKind } from '../integrations/kinds.js';
import type { Notifier } from '../notifications/notifier.service.js';
import type { NotCarriedOver } from './import-report.js';
import type { ImportedIntegration } from './import-run.js';

/** Hosts that are looked up at the same time. */
const judgedAtOnce = 16;

/**
 * Integrations that would send nothing from here, and what makes them send: their kind is not set up, or an address
 * is one that is not called. Looks up hosts, so never inside a transaction.
 */
export async function findUndeliverable(
  notifier: Pick<Notifier, 'judgeTarget' | 'missing'>,
  integrations: readonly ImportedIntegration[],
): Promise<NotCarriedOver[]> {
  const targets = integrations.flatMap(({ title, kind, settings }) =>
    targetsOf(kind, settings).map(({ path, url }) => ({ what: title, path, url })),
  );
  const refusals = await judgeOrigins(notifier, new Set(targets.map(({ url }) => new URL(url).origin)));
  const refused = targets.flatMap(({ what, path, url }) => {
    const refusal = refusals.get(new URL(url).origin);
    return refusal === undefined ? [] : [{ what, reason: `${path}: ${refusal}` }];
  });
  return [...missingKinds(notifier, integrations), ...refused];
}

async function judgeOrigins(
  notifier: Pick<Notifier, 'judgeTarget'>,
  origins: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const refusals = new Map<string, string>();
  const left = [...origins];
  while (left.length > 0) {
    const judged = left.splice(0, judgedAtOnce).map(async (origin) => {
      const refusal = await notifier.judgeTarget(origin);
      if (refusal !== undefined) refusals.set(origin, refusal);
    });
    await Promise.all(judged);
  }
  return refusals;
}

/** One line a kind. */
function missingKinds(
  notifier: Pick<Notifier, 'missing'>,
  integrations: readonly ImportedIntegration[],
): NotCarriedOver[] {
  const counts = new Map<ChannelKind, number>();
  for (const { kind } of integrations) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].flatMap(([kind, count]) => {
    const missing = notifier.missing(kind);
    if (missing === undefined) return [];
    return [
      {
        what: `${count} of kind ${kind}`,
        reason: `${labelOf(kind)} is not set up here: ${missing}`,
      },
    ];
  });
}
