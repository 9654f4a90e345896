import type { RunRecord } from '../run-record.ts';
import { inMarkdown } from './escaped.ts';

export function machineSection({ machine, versions, date }: RunRecord): string {
  const { cpu, cores, memoryGb, system, node } = machine;
  const facts = [
    ['machine', `${cores} cores of ${cpu}, ${memoryGb} GB of memory`],
    ['system', system],
    ['Node', node],
    ['Holdfast', versions.holdfast],
    ['servers', versions.servers.join(', ')],
    ['libraries', versions.libraries.join(', ')],
    ['measured at', date],
  ].filter(([, fact]) => fact !== '');
  return `## What it was measured on\n\n${facts.map(([name, fact = '']) => `- ${name}: ${inMarkdown(fact)}`).join('\n')}`;
}
