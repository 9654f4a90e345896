import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { siteLinks } from '../links.mjs';
import { readPage, shownAt, sitePages } from '../pages.mjs';
import { sidebar } from '../sidebar.mjs';

const pages = sitePages();
const { description } = JSON.parse(readPage('package.json'));

const self = fileURLToPath(import.meta.url);

/** The pages lie outside of this package, where there is no Vue: what they are compiled to finds the one of this package. */
const vueOfThisPackage = {
  name: 'vue-of-this-package',
  enforce: 'pre',
  resolveId(id, importer, { ssr }) {
    if (id !== 'vue' && id !== 'vue/server-renderer') return null;
    return ssr ? { id, external: true } : this.resolve(id, self, { skipSelf: true });
  },
};

/** The anchors that GitHub gives to headings: the links of the pages use them. */
function githubSlug(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Shiki gives up on a line after half a second, which a busy machine takes for the first ones: their colours would then be wrong. */
const colouredInFull = {
  name: 'coloured-in-full',
  preprocess(_code, options) {
    options.tokenizeTimeLimit = 0;
  },
};

export default defineConfig({
  title: 'Holdfast',
  description,
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '..',
  srcExclude: ['.*/**', 'bench/**', 'dist/**', 'examples/**', 'scripts/**', 'site/**', 'src/**', 'test/**'],
  rewrites: Object.fromEntries(
    pages.filter((page) => shownAt(page) !== page).map((page) => [page, shownAt(page)]),
  ),
  markdown: {
    anchor: { slugify: githubSlug },
    config: (md) => md.use(siteLinks),
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    codeTransformers: [colouredInFull],
  },
  themeConfig: {
    search: { provider: 'local', options: { detailedView: true } },
    nav: [
      { text: 'Quick start', link: '/docs/quick-start.html' },
      { text: 'Concepts', link: '/docs/concepts.html' },
      { text: 'Cookbook', link: '/docs/cookbook/' },
      { text: 'Operations', link: '/docs/operations.html' },
      { text: 'Errors', link: '/docs/api/errors.html' },
      { text: 'All pages', link: '/docs/' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    externalLinkIcon: true,
    footer: { message: 'Apache License 2.0' },
  },
  vite: {
    plugins: [vueOfThisPackage],
    build: { chunkSizeWarningLimit: 4_000 },
  },
});
