// The tour: `npm start`, or `npm start -- --quick` to hurry. Exits with 1 if a scene does not show what it claims.
import { parseArgs } from 'node:util';
import { boundedQueue } from './scenes/bounded-queue.ts';
import { crash } from './scenes/crash.ts';
import { fairQueue } from './scenes/fair-queue.ts';
import { lostUpdate } from './scenes/lost-update.ts';
import { staleHolder } from './scenes/stale-holder.ts';
import { say, seconds, styled } from './screen.ts';
import { play } from './stage.ts';
import { workshop } from './workshop.ts';

const scenes = [lostUpdate, fairQueue, crash, staleHolder, boundedQueue];
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });

const startedAt = performance.now();
say(styled('bold', `Holdfast: a tour in ${scenes.length} scenes, about 25 seconds`));
for (const line of workshop.about) say(styled('dim', line));

let shown = 0;
for (const [at, scene] of scenes.entries()) {
  say();
  say(styled(['bold', 'cyan'], `${at + 1}. ${scene.title}`));
  say(`   ${scene.sentence}`);
  say();
  if (await play(scene, values.quick)) shown++;
}

say();
const sum = `${shown} of ${scenes.length} scenes showed what they claim, in ${seconds(performance.now() - startedAt)}.`;
say(styled(shown === scenes.length ? ['bold', 'green'] : ['bold', 'red'], sum));
say();
say('Three commands to try next, the second one in another terminal:');
say('  npx holdfast run report -- sleep 20   one at a time on this machine');
say('  npx holdfast watch                    who holds what, live');
say('  npx holdfast doctor                   whether a store is fit to keep locks');
say('The scenes are in examples/tour/scenes/, a page each.');
process.exitCode = shown === scenes.length ? 0 : 1;
