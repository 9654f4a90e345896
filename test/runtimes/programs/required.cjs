// The package as CommonJS has it.
const { isHoldfastError } = require('holdfast');
const { memory } = require('holdfast/memory');

const locks = memory();
void locks
  .lock('till')
  .run(() => process.stdout.write(isHoldfastError(new Error('another')) ? 'wrong\n' : 'held\n'))
  .then(() => locks.close());
