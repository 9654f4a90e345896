// An unhandled rejection fails a run by itself. A leak of listeners is only a warning to Node; thrown from here
// it becomes an uncaught exception, and fails the run too.
process.on('warning', (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') throw warning;
});
