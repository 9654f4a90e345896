export function checkNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Holdfast needs Node 20.19 or newer, and this is Node ${process.versions.node}.`);
}
