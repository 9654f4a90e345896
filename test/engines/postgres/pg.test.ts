import { postgresConformance } from './postgres-conformance.ts';

postgresConformance('pg');
