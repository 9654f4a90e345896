import type { EngineOptions } from '../../spi/api/engine-options.ts';
import { argumentTypeError } from '../../spi/errors.ts';

/** How a parameter is written: any text, a whole number, `true` or `false`, or one of some words. */
export type ParameterForm = 'text' | 'number' | 'switch' | readonly string[];

/** The parameters that an address may have. */
export type ParameterForms = Readonly<Record<string, ParameterForm>>;

type ValueOf<F extends ParameterForm> = F extends 'number'
  ? number
  : F extends 'switch'
    ? boolean
    : F extends readonly (infer Word)[]
      ? Word
      : string;

/** What the parameters of an address say. */
export type ParameterValues<F extends ParameterForms> = { readonly [K in keyof F]?: ValueOf<F[K]> };

/** The settings of every engine, as an address gives them. */
export const engineForms = {
  name: 'text',
  label: 'text',
  announce: 'switch',
  renewalLeaseMs: 'number',
  maxHoldMs: 'number',
} as const satisfies Record<keyof EngineOptions, ParameterForm>;

/**
 * Reads the query of an address. A misspelt parameter is an error: a program whose `keyPrefix` is dropped silently would hold other
 * locks than its fleet. No error quotes a value: what follows an unescaped `?` in a password looks like one. Such an address
 * has its `@` in the query, and then no error quotes a name either.
 */
export function readQuery<F extends ParameterForms>(
  query: string,
  forms: F,
  engine: string,
): ParameterValues<F> {
  const values: Record<string, string | number | boolean> = {};
  const refuse = (what: string): Error =>
    argumentTypeError(`connect: ${what}`, { resource: 'connect', engine });
  if (query.includes('@'))
    throw refuse(
      'the query of the address contains an @. Write ? as %3F in a password, and @ as %40 everywhere but before the host.',
    );
  for (const [name, text] of new URLSearchParams(query)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (form === undefined)
      throw refuse(
        `the address has an unknown parameter ${JSON.stringify(name)}; known are ${Object.keys(forms).join(', ')}.`,
      );
    if (Object.hasOwn(values, name)) throw refuse(`the address gives ${name} twice.`);
    const value = readValue(form, text);
    if (value === undefined)
      throw refuse(`${name} must be ${describe(form)}; the address gives something else.`);
    values[name] = value;
  }
  return values as ParameterValues<F>;
}

function readValue(form: ParameterForm, text: string): string | number | boolean | undefined {
  if (form === 'text') return text;
  if (form === 'number') return /^(\d{1,15}|Infinity)$/.test(text) ? Number(text) : undefined;
  if (form === 'switch') return text === 'true' || (text === 'false' ? false : undefined);
  return form.includes(text) ? text : undefined;
}

function describe(form: ParameterForm): string {
  if (typeof form === 'object') return `one of ${form.join(', ')}`;
  return { text: 'text', number: 'a whole number', switch: 'true or false' }[form];
}
