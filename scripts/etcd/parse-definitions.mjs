// Reads definitions of protocol buffers: the part of the language that etcd's use. Options say how servers of other kinds
// translate a message; they change nothing on the wire and are skipped.

/** @typedef {{ name: string, number: number, type: string, repeated: boolean, union: string | undefined }} Field */
/** @typedef {{ methods: Map<string, { path: string, request: string, response: string }>, messages: Map<string, Field[]>, enums: Map<string, Map<string, number>> }} Definitions */

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|[\w.]+|[^\s\w]/g;

/**
 * @param {string} text
 * @param {Definitions} into
 */
export function parseDefinitions(text, into) {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !/^\/[/*]/.test(token));
  let at = 0;
  let file = '';
  const next = () => tokens[at++] ?? '';
  const peek = () => tokens[at];
  /** @param {string} token */
  const expect = (token) => {
    const found = next();
    if (found !== token) throw new Error(`expected "${token}" and found "${found}"`);
  };
  /** Counts brackets: the options of a method contain bodies of their own. */
  const skipStatement = () => {
    for (let depth = 0; ;) {
      const token = next();
      if (token === '') throw new Error('a statement without an end');
      if (token === '{' || token === '[') depth++;
      if (token === '}' || token === ']') depth--;
      if (depth === 0 && (token === ';' || token === '}')) return;
    }
  };

  /** @param {string} scope */
  const readMessage = (scope) => {
    const name = scope + next();
    /** @type {Field[]} */
    const fields = [];
    into.messages.set(name, fields);
    readFields(name, fields, undefined);
  };

  /**
   * @param {string} message
   * @param {Field[]} fields
   * @param {string | undefined} union
   */
  const readFields = (message, fields, union) => {
    expect('{');
    while (peek() !== '}') {
      const word = next();
      if (word === 'message') readMessage(`${message}.`);
      else if (word === 'enum') readEnum(`${message}.`);
      else if (word === 'oneof') readFields(message, fields, next());
      else if (word === 'option' || word === 'reserved') skipStatement();
      else if (word === 'map') skipStatement();
      else if (word !== ';') {
        const repeated = word === 'repeated';
        const type = repeated ? next() : word;
        const name = next();
        expect('=');
        fields.push({ name, number: Number(next()), type, repeated, union });
        skipStatement();
      }
    }
    expect('}');
  };

  /** @param {string} scope */
  const readEnum = (scope) => {
    const values = new Map();
    into.enums.set(scope + next(), values);
    expect('{');
    while (peek() !== '}') {
      const name = next();
      if (name === 'option') skipStatement();
      else if (name !== ';') {
        expect('=');
        values.set(name, Number(next()));
        skipStatement();
      }
    }
    expect('}');
  };

  const readService = () => {
    const service = next();
    expect('{');
    while (peek() !== '}') {
      expect('rpc');
      const method = next();
      const request = readParameter();
      expect('returns');
      const response = readParameter();
      into.methods.set(`${service}.${method}`, { path: `/${file}.${service}/${method}`, request, response });
      skipStatement();
    }
    expect('}');
  };

  const readParameter = () => {
    expect('(');
    const first = next();
    const type = first === 'stream' ? next() : first;
    expect(')');
    return type;
  };

  while (at < tokens.length) {
    const word = next();
    if (word === 'package') {
      file = next();
      expect(';');
    } else if (word === 'message') readMessage('');
    else if (word === 'enum') readEnum('');
    else if (word === 'service') readService();
    else if (word !== ';') skipStatement();
  }
}
