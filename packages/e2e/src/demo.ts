import { readFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError, createCheckMonitorClient, createCertManagerClient, createDummyCaClient } from '@certloop/contracts';
import { buildCsr, checkChain, describeCsr, generateKeyPair, parseCertificate, parseCsr, parsePem, publicKeysEqual, splitChain } from '@certloop/crypto';
import { ConfigError, StartFailed } from '@certloop/server';
