import { z } from 'zod';
import { empty, endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { certificateStatusSchema, revocationReasonNames, serialNumber } from './certificate-status.js';
import { faultSchema, validationModes } from './faults.js';

const faultsSchema = z.object({ faults: z.array(faultSchema) }).meta({ id: 'AcmeFaults' });
const requestsSchema = z
  .object({ requests: z.record(z.string(), z.record(z.string(), z.int())) })
  .meta({ id: 'AcmeRequests' });
const validationSchema = z.object({ mode: z.enum(validationModes) }).meta({ id: 'AcmeValidation' });
const windowSchema = z
  .object({ start: scalars.instant, end: scalars.instant })
  .refine(({ start, end }) => Date.parse(start) < Date.parse(end), 'must end after it starts')
  .meta({ id: 'AcmeRenewalWindow' });
const revocationSchema = z
  .object({ serialNumber, reason: z.enum(revocationReasonNames).default('unspecified') })
  .meta({ id: 'CaRevocation' });
const certificate = z.object({ certId: z.string() });

/** Operations by which testers control the authority, if its operator allows them. */
export const dummyCaAdminContract = {
  revokeCertificate: endpoint({
    method: 'POST',
    path: '/admin/revocations',
    summary: 'Revoke a certificate by its serial number',
    body: { kind: 'json', schema: revocationSchema },
    responses: { 201: json(certificateStatusSchema, 'The status') },
    failures: [400, 404, 409, 413, 415],
  }),
  liftHold: endpoint({
    method: 'DELETE',
    path: '/admin/revocations/{serialNumber}',
    summary: 'Lift the hold of a certificate (reason certificateHold)',
    params: z.object({ serialNumber }),
    responses: { 204: empty('The certificate is good') },
    failures: [404, 409],
  }),
  listFaults: endpoint({
    method: 'GET',
    path: '/admin/faults',
    summary: 'List the injected faults',
    responses: { 200: json(faultsSchema, 'Faults that can still occur') },
    failures: [],
  }),
  addFault: endpoint({
    method: 'POST',
    path: '/admin/faults',
    summary: 'Inject a fault',
    body: { kind: 'json', schema: faultSchema },
    responses: { 201: json(faultSchema, 'The fault') },
    failures: [400, 413, 415],
  }),
  clearFaults: endpoint({
    method: 'DELETE',
    path: '/admin/faults',
    summary: 'Remove all injected faults',
    responses: { 204: empty('No fault is left') },
    failures: [],
  }),
  setValidation: endpoint({
    method: 'PUT',
    path: '/admin/validation',
    summary: 'Set how challenges are validated',
    body: { kind: 'json', schema: validationSchema },
    responses: { 200: json(validationSchema, 'How they are validated from now on') },
    failures: [400, 413, 415],
  }),
  setRenewalWindow: endpoint({
    method: 'PUT',
    path: '/admin/renewal-info/{certId}',
    summary: 'Set the renewal window of a certificate',
    params: certificate,
    body: { kind: 'json', schema: windowSchema },
    responses: { 200: json(windowSchema, 'The window') },
    failures: [400, 404, 413, 415],
  }),
  clearRenewalWindow: endpoint({
    method: 'DELETE',
    path: '/admin/renewal-info/{certId}',
    summary: 'Reset the renewal window of a certificate',
    params: certificate,
    responses: { 204: empty('The window is the usual one') },
    failures: [400, 404],
  }),
  countRequests: endpoint({
    method: 'GET',
    path: '/admin/requests',
    summary: 'Count requests by endpoint and status; status 0 counts requests without a response',
    responses: { 200: json(requestsSchema, 'Numbers of requests') },
    failures: [],
  }),
  clearRequests: endpoint({
    method: 'DELETE',
    path: '/admin/requests',
    summary: 'Reset the counters of requests',
    responses: { 204: empty('Nothing is counted yet') },
    failures: [],
  }),
};
