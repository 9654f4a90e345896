import { sqliteConformance } from '../engines/sqlite/sqlite-conformance.ts';

sqliteConformance('better-sqlite3');
