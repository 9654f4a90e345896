import { sqliteConformance } from '../engines/sqlite/sqlite-conformance.ts';

sqliteConformance('node:sqlite');
