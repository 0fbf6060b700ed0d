import { z } from 'zod';

/** Address of a target on the web. */
export const webAddress = z
  .string()
  .trim()
  .max(1000)
  .refine((text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text), 'must be an http or https address');

/** A key or a name that another service gave out: one word; blanks around it are dropped, as they come from pasting. */
export const singleWord = z
  .string()
  .trim()
  .max(500)
  .regex(/^[\u0021-\u007e]+$/, 'must be one word');

/** Settings of a target that is only an address, which lets anyone who knows it write there. */
export const addressSettings = z.strictObject({ url: webAddress });
export type AddressSettings = z.output<typeof addressSettings>;
