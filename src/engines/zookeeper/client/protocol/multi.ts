import { JuteError, type JuteReader } from '../jute/jute-reader.ts';
import { type NodeStat, readStat } from './node-stat.ts';
import { opCode, type Operation } from './operation.ts';
import { ZooKeeperError, serverError } from './zookeeper-error.ts';

/** The result of one step of a `multi`. */
export type MultiResult =
  | { readonly kind: 'created'; readonly path: string; readonly stat: NodeStat | undefined }
  | { readonly kind: 'written'; readonly stat: NodeStat }
  | { readonly kind: 'deleted' | 'checked' };

/** The old create, which a server of 3.8 reports in the result although the request was the new one. */
const CREATE_WITHOUT_STAT = 1;
const FAILED = -1;
/** The codes of a step that was rolled back, or not begun, because another step failed. */
const NOT_THE_CULPRIT = new Set([0, -2]);

/** All steps, or none of them. Rejects with the error of the step that failed, and names it. */
export function multi(steps: readonly Operation<unknown>[]): Operation<readonly MultiResult[]> {
  return {
    code: opCode.multi,
    what: `multi of ${steps.length} steps`,
    write: (writer) => {
      const header = (type: number, isLast: boolean): void => {
        writer.int(type);
        writer.bool(isLast);
        writer.int(-1);
      };
      for (const step of steps) {
        header(step.code, false);
        step.write(writer);
      }
      header(FAILED, true);
    },
    read: (reader) => readResults(reader, steps),
  };
}

function readResults(reader: JuteReader, steps: readonly Operation<unknown>[]): MultiResult[] {
  const results: MultiResult[] = [];
  let culprit: ZooKeeperError | undefined;
  let failed = false;
  for (let index = 0; ; index += 1) {
    const type = reader.int();
    const isLast = reader.bool();
    reader.int();
    if (isLast) break;
    const step = steps[index];
    if (step === undefined) throw new JuteError(`a multi of ${steps.length} steps has more results`);
    if (type !== FAILED) {
      results.push(readResult(reader, type));
      continue;
    }
    failed = true;
    const error = reader.int();
    if (!NOT_THE_CULPRIT.has(error))
      culprit ??= serverError(error, `step ${index + 1} of multi, ${step.what}`, index);
  }
  if (failed) throw culprit ?? new ZooKeeperError('RUNTIME_INCONSISTENCY', 'multi: no step was carried out');
  if (results.length !== steps.length)
    throw new JuteError(`a multi of ${steps.length} steps has ${results.length} results`);
  return results;
}

/** Reads by the type in the result, which may differ from that of the step. */
function readResult(reader: JuteReader, type: number): MultiResult {
  switch (type) {
    case CREATE_WITHOUT_STAT:
      return { kind: 'created', path: reader.string(), stat: undefined };
    case opCode.create:
    case opCode.createContainer:
    case opCode.createWithTtl:
      return { kind: 'created', path: reader.string(), stat: readStat(reader) };
    case opCode.setData:
      return { kind: 'written', stat: readStat(reader) };
    case opCode.delete:
      return { kind: 'deleted' };
    case opCode.check:
      return { kind: 'checked' };
    default:
      throw new JuteError(`a multi has a result of type ${type}`);
  }
}
