import { curatorTable } from './table.ts';

curatorTable('curator-5-9');
