const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Inside an element or an attribute of a picture. */
export function inXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);
}

/** Inside a line or a cell of Markdown, where nothing of a name may become markup. */
export function inMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|]/g, (sign) => `\\${sign}`);
}
