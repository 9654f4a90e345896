import { postgresConformance } from '../engines/postgres/postgres-conformance.ts';

postgresConformance('postgres.js');
