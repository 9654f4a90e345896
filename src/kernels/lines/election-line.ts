import { exclusiveLine } from '../../rules/line.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import { mapAnswer } from '../../spi/maybe-async.ts';
import type { CampaignAsk, ElectionLook, ElectionVerbs } from '../../spi/verbs/election.ts';
import type { LineContext } from './line-context.ts';
import { plainFence } from './line-fence.ts';
import { LineProtocol } from './line-protocol.ts';
import { lineView } from './line-view.ts';
import { lineVerbs } from './line-verbs.ts';

/** A line whose first ticket leads; what the leader says is in its ticket. */
export function electionLine(context: LineContext): HoldingProtocol<ElectionVerbs, ElectionLook> {
  const line = new LineProtocol<CampaignAsk>(context, {
    kind: 'election',
    excludes: true,
    rule: () => exclusiveLine,
    claim: ({ value }) => ({ fences: 1, value }),
    fence: plainFence,
  });
  const { tickets } = context;
  const seen = (name: string) => line.look(name, () => exclusiveLine);
  return {
    ...lineVerbs(context, line),
    /** An owner without a ticket observes: it hears of every change of the line. A candidate watches what is ahead of it alone. */
    watch: (name, owner, heard) =>
      line.turns.has(owner)
        ? line.watch(name, owner, heard)
        : mapAnswer(context.session.open(), () => tickets.observe(line.turns.line(name), heard)),
    proclaim: async (name, { owner, value }) => {
      if (!line.turns.isIn(owner)) return { kind: 'gone' };
      const answer = await tickets.write(line.turns.line(name), owner, value);
      if (answer === 'written') return { kind: 'proclaimed' };
      line.turns.forget(owner);
      return { kind: 'gone' };
    },
    force: async (name, ask) => line.force(name, (await seen(name)).holders, ask),
    look: async (name) => {
      const { holders, waiting } = await seen(name);
      const [leader] = holders;
      return {
        leader: leader && { ...leader.view, value: leader.ticket.value },
        candidates: waiting.length,
        line: lineView(waiting),
      };
    },
  };
}
