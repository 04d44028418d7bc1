import { unwrap } from './html-elements.ts'

const BLOCKS = 'p, div, ul, ol, li, h1, h2, h3, h4, h5, h6, blockquote, pre'

/** Replaces the blocks of a cell by their content, with a separator between them. */
export function joinLines(cell: HTMLElement, separator: () => Node): void {
  const marks = new Set<Node>()
  for (const block of cell.querySelectorAll(BLOCKS)) {
    for (const place of ['before', 'after'] as const) {
      const mark = cell.ownerDocument.createComment('')
      block[place](mark)
      marks.add(mark)
    }
    unwrap(block)
  }
  let isAfterText = false
  let pending: Node | null = null
  for (const node of cell.childNodes) {
    const isMark = marks.has(node)
    if (isMark && isAfterText) pending = node
    if (isMark || isBlank(node)) continue
    pending?.parentNode?.replaceChild(separator(), pending)
    pending = null
    isAfterText = true
  }
}

function isBlank({ nodeType, textContent }: Node): boolean {
  return (
    nodeType === Node.COMMENT_NODE || (nodeType === Node.TEXT_NODE && textContent?.trim() === '')
  )
}
