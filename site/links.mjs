import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, root, sitePages, targetOf } from './pages.mjs';

const NAMED_PAGE = /^(docs\/[\w./-]+\.md|[A-Z]+\.md)(#[\w-]+)?$/;
const DECISION = /\b([Dd]ecision) (\d+)\b/g;

/**
 * Makes the links of the repository those of the site, for markdown-it:
 * - a relative link to a page leads to that page, a README being the index of its folder;
 * - a page that is named as code (`docs/wire/spring.md`), because the installed package lacks it, is a link here, and so is
 *   "decision 12";
 * - a link to a source file is text: the site has no sources;
 * - a link to what the repository does not have stays, and VitePress fails the build.
 */
export function siteLinks(md) {
  const pages = new Set(sitePages());
  const decisions = new Map(
    [...pages].flatMap((path) => {
      const number = /^docs\/decisions\/(\d{4})-/.exec(path)?.[1];
      return number === undefined ? [] : [[Number(number), path]];
    }),
  );

  md.core.ruler.push('site-links', (state) => {
    // A page of the repository is where it is, also if the site shows it as an index.
    const page = (state.env.relativePath ?? '').replace(/(^|\/)index\.md$/, '$1README.md');
    for (const block of state.tokens) {
      if (block.type === 'inline') block.children = rewritten(block.children ?? [], page, state.Token);
    }
  });

  function rewritten(tokens, page, Token) {
    const out = [];
    let depth = 0;
    let isText = false;
    for (const token of tokens) {
      if (token.type === 'link_open') {
        depth++;
        isText = !relink(token, page);
        if (isText) continue;
      } else if (token.type === 'link_close') {
        depth--;
        if (isText) {
          isText = false;
          continue;
        }
      } else if (depth === 0 && token.type === 'code_inline') {
        const [, path, anchor = ''] = NAMED_PAGE.exec(token.content) ?? [];
        if (pages.has(path) && path !== page) {
          out.push(...linked(token, `${addressOf(path)}${anchor}`, Token));
          continue;
        }
      } else if (depth === 0 && token.type === 'text') {
        out.push(...withDecisions(token, page, Token));
        continue;
      }
      out.push(token);
    }
    return out;
  }

  /** Whether it stays a link: it leads to a page of the site, or to another host, or to nothing. */
  function relink(token, page) {
    const href = token.attrGet('href') ?? '';
    if (/^([a-z]+:|#|\/)/.test(href)) return true;
    const { path, anchor } = targetOf(page, href);
    const folder = `${path}/README.md`;
    const target = pages.has(path) ? path : pages.has(folder) ? folder : undefined;
    if (target === undefined) return !existsSync(join(root, path));
    token.attrSet('href', `${addressOf(target)}${anchor === undefined ? '' : `#${anchor}`}`);
    return true;
  }

  function withDecisions(token, page, Token) {
    const out = [];
    let from = 0;
    for (const found of token.content.matchAll(DECISION)) {
      const path = decisions.get(Number(found[2]));
      if (path === undefined || path === page) continue;
      out.push(textToken(token.content.slice(from, found.index), Token));
      out.push(...linked(textToken(found[0], Token), addressOf(path), Token));
      from = found.index + found[0].length;
    }
    return [...out, textToken(token.content.slice(from), Token)];
  }
}

function textToken(content, Token) {
  const token = new Token('text', '', 0);
  token.content = content;
  return token;
}

function linked(token, href, Token) {
  const open = new Token('link_open', 'a', 1);
  open.attrSet('href', href);
  return [open, token, new Token('link_close', 'a', -1)];
}
