import { AppError, InvalidInput, type UploadedFile } from '@certloop/contracts';
import type { Request, Response } from 'express';
import multer from 'multer';
import { inOwnTurn } from '../concurrency/own-turn.js';
import { onBrokenBody } from './connections/broken-request.js';

export interface UploadLimits {
  /** Largest file in octets. */
  readonly fileBytes: number;
}

export interface Upload {
  readonly file: UploadedFile;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * The one file part named `part` of a multipart request and its text parts, all in memory, a large file in a turn of
 * its own. Throws InvalidInput when the request is not multipart, the part is missing or another file comes with it,
 * and a payload_too_large refusal when the file is over its limit.
 */
export async function receiveUpload(
  request: Request,
  response: Response,
  part: string,
  limits: UploadLimits,
): Promise<Upload> {
  if (!request.is('multipart/form-data')) {
    throw new InvalidInput('the request must be multipart/form-data', {
      fields: [{ path: 'body', code: 'not_multipart', message: 'must be multipart/form-data' }],
    });
  }
  await receive(request, response, part, limits);
  const { file } = request;
  if (file === undefined) throw fileFault(part, 'required', 'a file is required');
  return {
    file: { name: file.originalname, contentType: file.mimetype, bytes: await inOwnTurn(file.buffer) },
    fields: { ...(request.body as Record<string, unknown> | undefined) },
  };
}

function receive(request: Request, response: Response, part: string, limits: UploadLimits): Promise<void> {
  const middleware = multer({
    storage: multer.memoryStorage(),
    limits: { fileSize: limits.fileBytes, files: 1, fields: 16, fieldSize: 16_384, parts: 20 },
  }).single(part);
  return new Promise((resolve, reject) => {
    onBrokenBody(request, reject);
    middleware(request, response, (error: unknown) => {
      if (error === undefined || error === null) resolve();
      else reject(refusalOf(error, part, limits));
    });
  });
}

function refusalOf(error: unknown, part: string, limits: UploadLimits): AppError {
  const code = error instanceof multer.MulterError ? error.code : undefined;
  if (code === 'LIMIT_FILE_SIZE') {
    return new AppError('payload_too_large', `${part}: the file is larger than ${limits.fileBytes} bytes`, {
      fields: [{ path: part, code: 'too_large', message: `is larger than ${limits.fileBytes} bytes` }],
    });
  }
  if (code === 'LIMIT_UNEXPECTED_FILE' || code === 'LIMIT_FILE_COUNT') {
    return fileFault(part, 'unexpected_file', `exactly one file, in the part ${part}, is expected`);
  }
  if (code?.startsWith('LIMIT_') === true) {
    return new InvalidInput('the multipart body has more or larger parts than this request needs', {
      fields: [{ path: 'body', code: 'too_many_parts', message: 'has more or larger parts than needed' }],
    });
  }
  return new InvalidInput('the multipart body is malformed', {
    cause: error,
    fields: [{ path: 'body', code: 'malformed', message: 'is malformed' }],
  });
}

function fileFault(path: string, code: string, message: string): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code, message }] });
}
