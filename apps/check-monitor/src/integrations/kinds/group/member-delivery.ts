import type { AlertEvent } from '../../messages/alert-event.js';

/** A message of a group on its way to one of its members. */
export interface MemberDelivery {
  readonly projectId: string;
  readonly channelUuid: string;
  readonly event: AlertEvent;
  readonly isTest: boolean;
}
