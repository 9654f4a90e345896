import { argumentTypeError } from '../../spi/errors.ts';

/** The variables by which a platform that runs a program on several machines shows itself, and the name of the platform. */
const PLATFORMS: readonly (readonly [variable: string, platform: string])[] = [
  ['KUBERNETES_SERVICE_HOST', 'Kubernetes'],
  ['ECS_CONTAINER_METADATA_URI_V4', 'Amazon ECS'],
  ['ECS_CONTAINER_METADATA_URI', 'Amazon ECS'],
  ['AWS_LAMBDA_FUNCTION_NAME', 'AWS Lambda'],
  ['K_SERVICE', 'Cloud Run or Knative'],
  ['CLOUD_RUN_JOB', 'Cloud Run'],
  ['NOMAD_ALLOC_ID', 'Nomad'],
  ['FLY_MACHINE_ID', 'Fly.io'],
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Refuses locks that cover this machine only where they were not asked for and would hardly be meant. Each pod has a file
 * system of its own: five pods without an address would have five locks, and all of them would acquire. The tempting
 * alternative is the line on stderr alone, which is one of thousands in the log of a cluster.
 */
export function refuseMachineOnly(env: Environment): void {
  const required = env['HOLDFAST_REQUIRE_URL'];
  if (required === '0') return;
  if (required === '1') refuse('HOLDFAST_REQUIRE_URL forbids a file of this machine in its place.');
  const found = PLATFORMS.find(([variable]) => isSet(env[variable]));
  if (found !== undefined)
    refuse(`This program runs on ${found[1]} (${found[0]} is set), ${ONE_MACHINE} ${HOW_TO_ASK}`);
  if (env['NODE_ENV'] === 'production')
    refuse(`This program runs in production (NODE_ENV), ${ONE_MACHINE} ${HOW_TO_ASK}`);
}

const ONE_MACHINE = 'where locks in a file of this machine would not exclude the other machines.';
const HOW_TO_ASK =
  'Give an address, or set HOLDFAST_URL; if one machine is what you want, set HOLDFAST_REQUIRE_URL=0, or name the file: connect("sqlite:/var/lib/app/locks.db").';

function refuse(why: string): never {
  throw argumentTypeError(`connect: no address was given, and HOLDFAST_URL is not set. ${why}`, {
    resource: 'connect',
    engine: 'unknown',
  });
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
