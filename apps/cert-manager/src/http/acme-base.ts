/** Settings that say by which address ACME clients reach the service. */
interface AcmeAddress {
  readonly acmeUrl?: string | undefined;
  readonly publicUrl?: string | undefined;
}

/** Base of all links of the ACME directory, without a trailing slash; undefined if no setting says it. */
export function statedAcmeBase({ acmeUrl, publicUrl }: AcmeAddress): string | undefined {
  return acmeUrl ?? publicUrl;
}

/** A request, as Node hands it to a handler. */
interface ArrivedRequest {
  readonly headers: { readonly host?: string | undefined };
  readonly socket: {
    /** Whether it came over TLS. */
    readonly encrypted?: boolean;
    readonly localAddress?: string | undefined;
    readonly localPort?: number | undefined;
  };
}

// a name or an IPv4 address, or an IPv6 address in brackets, and a port
const writableHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Base of all links for a request. If no setting says it, it follows the Host field and the listener that the request
 * came to. Forwarded header fields are never read: a client could choose its own links by them.
 */
export function acmeBaseOf(address: AcmeAddress, { headers, socket }: ArrivedRequest): string {
  const stated = statedAcmeBase(address);
  if (stated !== undefined) return stated;
  const scheme = socket.encrypted === true ? 'https' : 'http';
  const { host = '' } = headers;
  return `${scheme}://${writableHost.test(host) ? host : localPlace(socket)}`;
}

/** Where the connection arrived, for requests without a Host field, or with one that no address can contain. */
function localPlace({ localAddress = '', localPort = 0 }: ArrivedRequest['socket']): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
