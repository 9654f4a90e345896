import { inXml } from './escaped.ts';

/** A picture and its name. A description says in words what it shows, for readers who cannot see it. */
export interface Picture {
  readonly file: string;
  readonly title: string;
  readonly svg: string;
}

/**
 * On a ground of its own, which follows the reader's system: the page around it may be light or dark whatever the system
 * is, and text on a bare ground would vanish on one of the two. Colour-blind readers can distinguish the colours
 * (Okabe and Ito); ours is blue everywhere.
 */
const STYLE = `text{font:13px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2933}
.bg{fill:#fff;stroke:#d5dae1}.b{font-weight:600}.l{font-size:12px}.s{font-size:11.5px;fill:#52606d}.e{text-anchor:end}.m{text-anchor:middle}
.g{stroke:#e3e8ee}.one{stroke:#52606d}.w{stroke:#1f2933;stroke-width:1.5}
.ours{fill:#0072b2}.peer{fill:#a7b1bc}.floor{fill:none;stroke:#7b8794;stroke-dasharray:3 2}.behind{fill:#d55e00}.t{fill:#0072b2}.bt{fill:#b34700}
@media(prefers-color-scheme:dark){text{fill:#e4e9ef}.bg{fill:#14181d;stroke:#333c46}.s{fill:#a5b1be}
.g{stroke:#2a323b}.one{stroke:#a5b1be}.w{stroke:#e4e9ef}
.ours{fill:#3d9be0}.peer{fill:#66717d}.floor{stroke:#a5b1be}.t{fill:#6db8f0}.bt{fill:#ff9b57}}`;

export function svg(title: string, described: string, width: number, height: number, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">${inXml(title)}</title>
<desc id="desc">${inXml(described)}</desc>
<style>${STYLE}</style>
<rect class="bg" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${body}
</svg>
`;
}

export function text(x: number, y: number, classes: string, content: string): string {
  const named = classes === '' ? '' : ` class="${classes}"`;
  return `<text x="${pixel(x)}" y="${pixel(y)}"${named}>${inXml(content)}</text>`;
}

export function line(classes: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<path class="${classes}" d="M${pixel(x1)} ${pixel(y1)}L${pixel(x2)} ${pixel(y2)}"/>`;
}

/** From one x to another, whichever is further left. */
export function bar(classes: string, from: number, to: number, y: number, height: number): string {
  const width = Math.max(1, Math.abs(to - from));
  return `<rect class="${classes}" x="${pixel(Math.min(from, to))}" y="${pixel(y)}" width="${pixel(width)}" height="${height}" rx="2"/>`;
}

/** Tenths are finer than any screen shows, and keep the file short. */
export function pixel(value: number): string {
  return String(Math.round(value * 10) / 10);
}
