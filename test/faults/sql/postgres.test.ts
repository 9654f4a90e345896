import { faultCases } from './fault-cases.ts';

faultCases('PostgreSQL');
