import { flattenTable } from './flatten-table.ts'
import { childrenOfBody, replaceTag, styleOf, unwrap } from './html-elements.ts'
import { convertWordLists } from './word-lists.ts'

/**
 * Reduces pasted HTML to the structure that `blocks` have: list items with only text, nested lists
 * after their item, a paragraph per table row if the text takes no tables. From Word and Google Docs, keeps headings, lists,
 * links and marks, which these write as styles, and drops all other styles.
 */
export function cleanPastedHtml(html: string, takeTables = flattenTables): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  if (body.querySelector('[data-pm-slice]') === null) {
    dropNoise(body)
    convertWordLists(body)
    convertWordParagraphs(body)
    convertMarks(body)
    dropUnsafeLinks(body)
  }
  takeTables(body)
  flattenLists(body)
  return body.innerHTML
}

function dropNoise(body: HTMLElement): void {
  for (const one of body.querySelectorAll('style, script, meta, link, title, xml')) one.remove()
  for (const one of body.querySelectorAll(String.raw`o\:p`)) {
    if (one.textContent.trim() === '') one.remove()
    else unwrap(one)
  }
  // Google Docs wraps everything in a `b` that is not bold.
  for (const one of body.querySelectorAll<HTMLElement>('b, strong, i, em')) {
    const { 'font-weight': weight, 'font-style': look } = styleOf(one)
    const isBold = one.matches('b, strong')
    if (isBold ? weight === 'normal' || weight === '400' : look === 'normal') unwrap(one)
  }
  if (childrenOfBody(body).some((one) => one.matches('p, h1, h2, h3, h4, h5, h6, ul, ol'))) {
    for (const one of body.querySelectorAll(':scope > br')) one.remove()
  }
}

/** Word marks titles and quotes by classes. Its empty paragraphs are space between others. */
function convertWordParagraphs(body: HTMLElement): void {
  for (const one of body.querySelectorAll<HTMLElement>('p[class^="Mso"]')) {
    if (one.textContent.trim() === '' && one.querySelector('img') === null) one.remove()
    else if (one.classList.contains('MsoTitle')) replaceTag(one, 'h1')
    else if (/^MsoQuote|^MsoIntenseQuote/.test(one.className)) replaceTag(one, 'blockquote')
  }
}

function convertMarks(body: HTMLElement): void {
  for (const one of body.querySelectorAll<HTMLElement>('span[style]')) {
    const tags = marksOf(one)
    unwrapInto(one, tags)
  }
  // A link needs no underline.
  for (const one of body.querySelectorAll('a u, u:has(> a:only-child)')) unwrap(one)
}

function marksOf(span: HTMLElement): readonly string[] {
  const style = styleOf(span)
  const decoration = style['text-decoration'] ?? style['text-decoration-line'] ?? ''
  const isHeading = span.closest('h1, h2, h3, h4, h5, h6') !== null
  const marks: readonly (readonly [string, boolean])[] = [
    ['strong', !isHeading && isBoldWeight(style['font-weight'] ?? '')],
    ['em', style['font-style'] === 'italic'],
    ['s', decoration.includes('line-through')],
    ['u', decoration.includes('underline') && span.closest('a') === null],
  ]
  return marks.flatMap(([tag, has]) => (has ? [tag] : []))
}

function isBoldWeight(weight: string): boolean {
  return weight === 'bold' || weight === 'bolder' || Number(weight) >= 600
}

function unwrapInto(span: HTMLElement, tags: readonly string[]): void {
  let inner: Element = span
  for (const tag of tags) {
    const mark = span.ownerDocument.createElement(tag)
    mark.append(...inner.childNodes)
    inner.append(mark)
    inner = mark
  }
  unwrap(span)
}

/** Links to scripts, to files of a computer and to places in a document of Word. */
function dropUnsafeLinks(body: HTMLElement): void {
  for (const link of body.querySelectorAll('a[href]')) {
    const href = (link.getAttribute('href') ?? '').trim()
    if (/^(?:https?:|mailto:|tel:|[/?.])/i.test(href) || /^#(?!_)/.test(href)) continue
    if (/^[a-z][a-z\d+.-]*:|^#_/i.test(href)) unwrap(link)
  }
}

function flattenTables(body: HTMLElement): void {
  for (const table of [...body.querySelectorAll('table')].toReversed()) {
    flattenTable(table)
  }
}

function flattenLists(body: HTMLElement): void {
  for (const list of [...body.querySelectorAll('li > ul, li > ol')].toReversed()) {
    list.parentElement?.after(list)
  }
  for (const block of body.querySelectorAll('li > p, li > div')) {
    const before = block.previousSibling?.textContent ?? ''
    if (before.trim() !== '') block.before(document.createElement('br'))
    unwrap(block)
  }
}
