import type { AcmeLineage, LineageState } from '@certloop/contracts';
import type { LineageEnd } from '../../front/lineages/lineage-ends.js';
import { readableText } from '../../providers/provider.js';
import { sentenceOf } from '../fqdn-status.js';
import { attentionAtOfLineage, expectedOfLineage, type Lineage } from './lineage.js';
import { clientText, failedOrderText, lateText, renewedText } from './lineage-text.js';
import { agentOf } from './user-agent.js';

/** A lineage with what is shown of it. */
export interface ShownLineage {
  readonly lineage: Lineage;
  readonly names: readonly string[];
  readonly keyKind: string | null;
  readonly infoReadAt: Date | null;
  readonly releasedAt: Date | null;
  /** Why no further order is expected. */
  readonly end: LineageEnd | undefined;
  readonly now: Date;
}

/** A lineage as the API shows it. */
export function lineageView(shown: ShownLineage): AcmeLineage {
  const { lineage, names, keyKind, infoReadAt, releasedAt, end } = shown;
  const { client, userAgent, seenAt, ipAddress, certificate, failure } = lineage;
  const agent = agentOf(userAgent);
  const { id, serialNumber, notBefore, expiresAt, revokedAt } = certificate;
  const { expectedAt } = expectedOfLineage(lineage);
  const attentionAt = attentionAtOfLineage(lineage);
  return {
    lineage: lineage.lineage,
    ...stateOf(shown),
    client: { id: client.id, ...(client.name !== '' && { name: client.name }) },
    ...(agent !== undefined && { agent }),
    userAgent: readableText(userAgent, 200),
    lastSeenAt: seenAt.toISOString(),
    lastSeenFrom: ipAddress,
    names: [...names],
    ...(keyKind !== null && { keyKind }),
    certificate: {
      ...{ id, serialNumber, notBefore: notBefore.toISOString(), expiresAt: expiresAt.toISOString() },
      ...(revokedAt !== null && { revokedAt: revokedAt.toISOString() }),
    },
    ...(infoReadAt !== null && { renewalInfoReadAt: infoReadAt.toISOString() }),
    ...(end === undefined && {
      expectedAt: expectedAt.toISOString(),
      attentionAt: attentionAt.toISOString(),
    }),
    ...(failure !== undefined && {
      failure: { at: failure.at.toISOString(), message: readableText(failure.reason) },
    }),
    ...(releasedAt !== null && { releasedAt: releasedAt.toISOString() }),
  };
}

const ends: Readonly<Record<LineageEnd, string>> = {
  released: 'its machine was reported as gone',
  replaced: 'another order has replaced its certificate',
  deactivated: 'its account was deactivated',
  deleted: 'the ACME client was deleted',
};

function stateOf({ lineage, end, now }: ShownLineage): {
  readonly state: LineageState;
  readonly message: string;
} {
  const spoken = { lineages: [lineage] as const, count: 1 };
  if (end !== undefined) {
    const message = `No further certificate of ${clientText(lineage, now)} is expected: ${ends[end]}.`;
    return { state: end, message };
  }
  if (lineage.failure !== undefined)
    return { state: 'failing', message: sentenceOf(failedOrderText(spoken, now)) };
  if (expectedOfLineage(lineage).attentionAt <= now)
    return { state: 'late', message: sentenceOf(lateText(spoken, now)) };
  return { state: 'expected', message: sentenceOf(renewedText(spoken, now)) };
}
