import { styleOf } from './html-elements.ts'

interface WordItem {
  readonly paragraph: HTMLElement
  /** Names the list in the document. */
  readonly list: string
  readonly level: number
  readonly tag: 'ol' | 'ul'
}

interface OpenList {
  readonly item: WordItem
  readonly element: HTMLElement
}

const MARKER = '[style*="mso-list:Ignore" i], [style*="mso-list: Ignore" i]'

/**
 * Word writes list items as paragraphs with a level (`mso-list:l0 level2 lfo1`), and their bullet
 * or number as text.
 */
export function convertWordLists(body: HTMLElement): void {
  const items = [...body.querySelectorAll<HTMLElement>('p[style*="mso-list"]')].flatMap(itemOf)
  for (const marker of body.querySelectorAll(MARKER)) marker.remove()
  let open: readonly OpenList[] = []
  let last: Element | null = null
  for (const item of items) {
    const isNext: boolean = last !== null && item.paragraph.previousElementSibling === last
    open = openLists(isNext ? open : [], item)
    const entry = body.ownerDocument.createElement('li')
    entry.append(...item.paragraph.childNodes)
    open.at(-1)?.element.append(entry)
    last = open[0]?.element ?? null
    item.paragraph.remove()
  }
}

function itemOf(paragraph: HTMLElement): readonly WordItem[] {
  const [, list, level, override] =
    /^(\S+)\s+level(\d+)(?:\s+(\S+))?/.exec(styleOf(paragraph)['mso-list'] ?? '') ?? []
  if (list === undefined) return []
  const marker = paragraph.querySelector(MARKER)?.textContent.trim() ?? ''
  const tag = /^\(?(?:\d+|[a-z]{1,4})[.)]/i.test(marker) ? 'ol' : 'ul'
  return [{ paragraph, list: `${list} ${override ?? ''}`, level: Number(level), tag }]
}

/** The lists around an item, outermost first. Creates the ones that are missing. */
function openLists(before: readonly OpenList[], item: WordItem): readonly OpenList[] {
  const outer = before.filter(({ item: { level } }) => level < item.level)
  const same = before.find(({ item: { level } }) => level === item.level)
  const isSame = same !== undefined && same.item.tag === item.tag && same.item.list === item.list
  if (isSame) return [...outer, same]
  const element = item.paragraph.ownerDocument.createElement(item.tag)
  const around = outer.at(-1)?.element
  if (around === undefined) item.paragraph.before(element)
  else around.append(element)
  return [...outer, { item, element }]
}
