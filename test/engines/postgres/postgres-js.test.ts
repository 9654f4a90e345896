import { postgresConformance } from './postgres-conformance.ts';

postgresConformance('postgres.js');
