import { sqliteConformance } from './sqlite-conformance.ts';

sqliteConformance('libsql');
