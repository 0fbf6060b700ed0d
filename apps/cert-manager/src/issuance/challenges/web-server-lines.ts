import type { ChallengeSetup } from '@certloop/contracts';

/** Path below which CAs look for answers (RFC 8555 §8.3). */
export const challengePath = '/.well-known/acme-challenge/';

/** Address at which the web servers of others reach this service. */
export interface OwnAddress {
  /** Such as `https://certs.example.org`. */
  readonly origin: string;
  /** Someone said that it is reached there; else it is where it listens. */
  readonly isStated: boolean;
}

/** The stated address, else the one that is listened on. */
export function ownAddress({
  publicUrl,
  host,
  port,
}: {
  readonly publicUrl: string | undefined;
  readonly host: string;
  readonly port: number;
}): OwnAddress {
  if (publicUrl !== undefined) return { origin: new URL(publicUrl).origin, isStated: true };
  return { origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, isStated: false };
}

type Lines = NonNullable<ChallengeSetup['http01']>;

/** Returns lines for the web servers of these host names, which forward requests for challenges to this service. */
export function challengeLines(hosts: readonly string[], { origin }: OwnAddress): Lines {
  const url = new URL(origin);
  const target = `${origin}${challengePath}`;
  // RFC 8555 §8.3 lets CAs follow to the usual ports only
  const isFollowed = url.port === '';
  return {
    path: challengePath,
    target,
    ...(isFollowed && { redirect: target }),
    servers: [
      { server: 'nginx', config: nginx(url, target) },
      { server: 'apache', config: apache(url, target) },
      { server: 'caddy', config: caddy(hosts, url) },
      { server: 'haproxy', config: haproxy(url) },
      { server: 'traefik', config: traefik(hosts, url) },
    ],
  };
}

/** For the `server` block of port 80. */
function nginx({ protocol }: URL, target: string): string {
  const tls = protocol === 'https:' ? ['    proxy_ssl_server_name on;'] : [];
  return text(`location ^~ ${challengePath} {`, `    proxy_pass ${target};`, ...tls, '}');
}

/** For the virtual host of port 80, before rewrites; needs mod_proxy_http, and mod_ssl for https. */
function apache({ protocol }: URL, target: string): string {
  const tls = protocol === 'https:' ? ['SSLProxyEngine on'] : [];
  return text(...tls, `ProxyPass "${challengePath}" "${target}"`);
}

function caddy(hosts: readonly string[], { origin }: URL): string {
  return text(
    `${hosts.map((host) => `http://${host}`).join(', ')} {`,
    `    handle ${challengePath}* {`,
    `        reverse_proxy ${origin} {`,
    '            header_up Host {upstream_hostport}',
    '        }',
    '    }',
    '}',
  );
}

function haproxy({ protocol, host, hostname, port }: URL): string {
  const isTls = protocol === 'https:';
  const tls = isTls ? ` ssl verify required ca-file @system-ca sni str(${hostname})` : '';
  return text(
    '# in the frontend of port 80',
    `use_backend certloop if { path_beg ${challengePath} }`,
    '',
    'backend certloop',
    `    http-request set-header Host ${host}`,
    `    server certloop ${hostname}:${port || (isTls ? '443' : '80')}${tls}`,
  );
}

/** A file of dynamic configuration; `web` is the entry point of port 80. */
function traefik(hosts: readonly string[], { origin }: URL): string {
  const rule = hosts.map((host) => `Host(\`${host}\`)`).join(' || ');
  return text(
    'http:',
    '  routers:',
    '    certloop:',
    '      entryPoints: [web]',
    '      priority: 100000',
    `      rule: "PathPrefix(\`${challengePath}\`) && (${rule})"`,
    '      service: certloop',
    '  services:',
    '    certloop:',
    '      loadBalancer:',
    '        passHostHeader: false',
    '        servers:',
    `          - url: "${origin}"`,
  );
}

function text(...lines: string[]): string {
  return lines.join('\n');
}
