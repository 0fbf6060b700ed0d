/** `route` is the template of the path. */
export type EndRequest = (request: {
  readonly method: string;
  readonly route: string;
  readonly status: string;
}) => void;

/** Counter of requests. */
export interface RequestWatch {
  /** Counts a request until the function that it returns is called. */
  beginRequest(): EndRequest;
}
