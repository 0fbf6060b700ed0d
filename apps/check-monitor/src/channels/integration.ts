import type { z } from 'zod';
import type { AlertEvent, AlertStatus } from './alert-event.js';
import type { DeliveryResult } from './delivery-result.js';
import type { EventView } from './event-view.js';

/** One message to one channel. */
export interface Delivery<Settings> {
  readonly settings: Settings;
  readonly event: AlertEvent;
  /** The event in words. */
  readonly view: EventView;
  readonly channel: {
    readonly uuid: string;
    readonly projectId: string;
    /** Whether the holder of the address has agreed to be told. */
    readonly isVerified: boolean;
  };
  /** A person waits for the result: nothing is tried twice. */
  readonly isTest: boolean;
}

/** One kind of channel: what has to be known of a target, and how it is told. */
export interface Integration<Settings extends object = object> {
  readonly kind: string;
  readonly settings: z.ZodType<Settings>;
  /** Members of the settings that are secret, nested ones by dots: they are taken in but never shown. */
  readonly secrets: readonly string[];
  /** What this server must be told before channels of the kind work; undefined when nothing is missing. */
  readonly missing?: string;
  /** Whether a change to `status` is told at all. */
  tells(settings: Settings, status: AlertStatus): boolean;
  deliver(delivery: Delivery<Settings>): Promise<DeliveryResult>;
}
