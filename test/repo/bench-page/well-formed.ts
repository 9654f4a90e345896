/** Whether every element of a picture is closed, in order, and no sign stands where it would begin markup. */
export function isWellFormed(xml: string): boolean {
  const open: string[] = [];
  const rest = xml.replaceAll(
    /<(\/?)([a-z]+)((?:\s+[a-zA-Z-:]+="[^"<&]*")*)\s*(\/?)>/g,
    (_, ends, name, _a, closed) => {
      if (ends) return open.pop() === name ? '' : '<';
      if (!closed) open.push(name);
      return '';
    },
  );
  return open.length === 0 && !/[<>]|&(?!amp;|lt;|gt;|quot;)/.test(rest);
}
