import { z } from 'zod';

/** Body of every refusal of the management API. */
export const errorBodySchema = z.object({ error: z.string() }).meta({ id: 'ErrorBody' });
export type ErrorBody = z.output<typeof errorBodySchema>;

/** Query parameter as received; the service reads it and says what is wrong with it. */
export const queryText = z.union([z.string(), z.array(z.string())]).optional();

/** Path of one check: its uuid, or where only reading is done its unique key. Anything else is a 404. */
export const byCheck = z.object({ id: z.string() });
