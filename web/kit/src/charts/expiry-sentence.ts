import type { ExpiryTimeline } from '@certloop/contracts/browser';
import { countOf } from '../times.js';

/** When certificates expire, in sentences: how many, and how many of them need a person. */
export function expirySentence({ buckets, overdue, later }: ExpiryTimeline): string {
  const sum = (count: (bucket: ExpiryTimeline['buckets'][number]) => number) =>
    buckets.reduce((total, bucket) => total + count(bucket), 0);
  const needsHand = sum((bucket) => bucket.needsHand);
  const failing = sum((bucket) => bucket.failing);
  const all = sum((bucket) => bucket.willRenew) + needsHand + failing;
  const sentences = [
    all === 0
      ? 'No certificate expires within 26 weeks.'
      : `${countOf(all, 'certificate expires', 'certificates expire')} within 26 weeks.`,
    ...(all > 0 && needsHand + failing === 0
      ? [all === 1 ? 'It renews automatically.' : 'All of them renew automatically.']
      : []),
    ...(needsHand > 0
      ? [
          all === 1
            ? 'It does not renew automatically.'
            : `${countOf(needsHand, 'of them does not', 'of them do not')} renew automatically.`,
        ]
      : []),
    ...(failing > 0
      ? [all === 1 ? 'It is failing.' : `${countOf(failing, 'of them is failing', 'of them are failing')}.`]
      : []),
    ...(overdue > 0 ? [`${countOf(overdue, 'certificate')} expired before.`] : []),
    ...(later > 0 ? [`${countOf(later, 'certificate')} will expire later.`] : []),
  ];
  return sentences.join(' ');
}
