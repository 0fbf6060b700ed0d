import type { DeliveryResult } from './delivery/delivery-result.js';
import type { AlertEvent, AlertStatus } from './messages/alert-event.js';
import type { EventView, ViewSite } from './messages/event-view.js';
import type { Notice } from './messages/notice.js';

/** One message to one channel. */
export interface Delivery<Settings> {
  readonly settings: Settings;
  readonly event: AlertEvent;
  /** The event in words. */
  readonly view: EventView;
  readonly channel: {
    readonly uuid: string;
    readonly projectId: string;
    /** Whether the holder of the address has agreed to be notified. */
    readonly isVerified: boolean;
  };
  /** A person waits for the result: nothing is tried twice. */
  readonly isTest: boolean;
}

/** A notice on its way to one channel. */
export interface NoticeDelivery<Settings> {
  readonly settings: Settings;
  readonly notice: Notice;
  /** Same for every attempt to deliver the notice to the channel. */
  readonly deliveryId: string;
  readonly channel: Delivery<Settings>['channel'];
  readonly site: ViewSite;
}

/** How messages are sent to channels of one kind. */
export interface Integration<Settings extends object = object> {
  /** Setting that this server lacks before channels of the kind work; undefined when nothing is missing. */
  readonly missing?: string;
  /** The operator switched the kind off, so no message waits until it is back. */
  readonly isSwitchedOff?: true;
  /** Whether a change to `status` is sent at all. */
  shouldNotify(settings: Settings, status: AlertStatus): boolean;
  deliver(delivery: Delivery<Settings>): Promise<DeliveryResult>;
  /** Sends a notice; only kinds that people read have it. */
  notify?(delivery: NoticeDelivery<Settings>): Promise<DeliveryResult>;
}

/** A message of a group on its way to one of its members. */
export interface MemberDelivery {
  readonly projectId: string;
  readonly channelUuid: string;
  readonly event: AlertEvent;
  readonly isTest: boolean;
}
