/** Response of a use case. */
export interface AcmeReply {
  readonly status: 200 | 201;
  /** An object is sent as JSON; undefined for no body. */
  readonly body?: object | string | undefined;
  /** Of a text; JSON has its own. */
  readonly contentType?: string;
  readonly location?: string;
  readonly links?: readonly string[];
  readonly retryAfterSeconds?: number | undefined;
}

export const ok = (body: object, more: Omit<AcmeReply, 'status' | 'body'> = {}): AcmeReply => ({
  status: 200,
  body,
  ...more,
});

export const created = (body: object, location: string, more: Partial<AcmeReply> = {}): AcmeReply => ({
  ...more,
  status: 201,
  body,
  location,
});
