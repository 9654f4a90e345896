import type { Page } from 'playwright-core';

/** A text of the page, and how far its colour is from what is behind it, as WCAG counts. */
export interface Contrast {
  readonly text: string;
  readonly ratio: number;
}

/** The contrast of every text that is shown. */
export function contrastsIn(page: Page): Promise<readonly Contrast[]> {
  return page.evaluate(() => {
    const numbers = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = numbers(color).map((value) =>
        value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element: Element): string => {
      const { backgroundColor } = getComputedStyle(element);
      if (numbers(backgroundColor)[3] !== 0) return backgroundColor;
      return element.parentElement === null ? 'rgb(255, 255, 255)' : behind(element.parentElement);
    };
    const hasText = (element: Element) =>
      [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== '',
      );
    return [...document.body.querySelectorAll('*')]
      .filter(
        (element) =>
          hasText(element) && element.checkVisibility() && !element.closest('.unseen, noscript, script'),
      )
      .map((element) => {
        const [front, back] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
        const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
        return { text: `${element.className}: ${element.textContent}`, ratio };
      });
  });
}
