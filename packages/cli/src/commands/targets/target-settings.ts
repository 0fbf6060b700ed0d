import { type Target, type TargetInput, targetProtocols } from '@certloop/contracts';
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { findFqdn, requireOne } from '../../lookup.js';
import { duration, wholeNumber } from '../../numbers.js';

export interface TargetOptions {
  readonly space?: string;
  readonly port?: number;
  readonly protocol?: (typeof targetProtocols)[number];
  readonly sni?: string;
  readonly mode?: 'probe' | 'report';
  readonly every?: number;
  readonly grace?: number;
  readonly enabled?: boolean;
}

export function withSettings<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
) {
  return command
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('--port <port>', 'TCP port', wholeNumber('--port', 1, 65_535))
    .addOption(
      new Option('--protocol <protocol>', 'tls, or the protocol within which TLS starts').choices(
        targetProtocols,
      ),
    )
    .option('--sni <name>', 'server name (SNI) to send')
    .addOption(
      new Option(
        '--mode <mode>',
        'probe: cert-manager probes it; report: certloop probe --report does',
      ).choices(['probe', 'report']),
    )
    .option(
      '--every <duration>',
      'interval of the probes: seconds, or 1h',
      duration('--every', 's', 60, 31_536_000),
    )
    .option(
      '--grace <duration>',
      'how long a fault is tolerated: seconds, or 1d',
      duration('--grace', 's', 0, 31_536_000),
    );
}

export function inputOf({ port, protocol, sni, mode, every, grace, enabled }: TargetOptions): TargetInput {
  return {
    ...(port !== undefined && { port }),
    ...(protocol !== undefined && { protocol }),
    ...(sni !== undefined && { sni }),
    ...(mode !== undefined && { mode }),
    ...(every !== undefined && { everySeconds: every }),
    ...(grace !== undefined && { graceSeconds: grace }),
    ...(enabled !== undefined && { enabled }),
  };
}

export async function openFqdnTargets({ report, manager }: Session, fqdn: string, space: string | undefined) {
  const { id: fqdnId, spaceId } = await findFqdn(manager, fqdn, space);
  const params = { spaceId, fqdnId };
  const find = async (named: string): Promise<Target> => {
    const { body } = await manager.listTargets({ params });
    const isNamed = ({ id, host, port }: Target) => [id, host, `${host}:${port}`].includes(named);
    return requireOne(body.filter(isNamed), named, 'target');
  };
  return { report, manager, params, find };
}
