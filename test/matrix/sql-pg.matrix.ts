import { postgresConformance } from '../engines/postgres/postgres-conformance.ts';

postgresConformance('pg');
