import { describeCertificate } from './one-stack/certificate-tests.js';
import { describeImport } from './one-stack/import-tests.js';
import { describeJob } from './one-stack/job-tests.js';
import { describeList } from './one-stack/list-tests.js';
import { describeLogIn } from './one-stack/log-in-tests.js';
import { describeLoss } from './one-stack/loss-tests.js';
import { describeMonitor } from './one-stack/monitor-tests.js';
import { describeNoun } from './one-stack/noun-tests.js';
import { useStack } from './one-stack/one-stack.js';
import { describeUsage } from './one-stack/usage-tests.js';

// one stack for all of them: its start takes longer than most of their tests
useStack();
describeCertificate();
describeImport();
describeLogIn();
describeNoun();
describeList();
describeLoss();
describeMonitor();
describeJob();
describeUsage();
