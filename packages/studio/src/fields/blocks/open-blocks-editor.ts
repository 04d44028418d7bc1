import { Editor, type JSONContent } from '@tiptap/core'
import { Gapcursor, UndoRedo } from '@tiptap/extensions'
import type { BlockNode } from '../../entry/block-text.ts'
import type { EditorNode } from './blocks.ts'
import { fromEditor } from './from-editor.ts'
import { ListKeys, toggleList } from './list-commands.ts'
import { MARKS } from './marks.ts'
import { NODES } from './nodes.ts'
import { toEditor } from './to-editor.ts'

export type Blocks = readonly BlockNode[] | null

export interface BlocksEditorOptions {
  readonly host: HTMLElement
  readonly blocks: Blocks
  readonly isReadOnly: boolean
  readonly names: Readonly<Record<string, string>>
  readonly onChange: (blocks: Blocks) => void
  readonly onMove: () => void
  readonly onLink: () => void
}

export type { Editor }

export const EXTENSIONS = [...NODES, ...MARKS, ListKeys, UndoRedo, Gapcursor]

export function openBlocksEditor(options: BlocksEditorOptions): Editor {
  return new Editor({
    element: options.host,
    extensions: EXTENSIONS,
    content: toEditor(options.blocks) as JSONContent,
    editable: !options.isReadOnly,
    injectCSS: false, // forbidden by the CSP of the page
    enableContentCheck: true,
    editorProps: {
      attributes: { ...options.names, role: 'textbox', 'aria-multiline': 'true' },
      transformPastedHTML: flatBlocks,
      handleKeyDown: ({ state }, event) => {
        if (options.isReadOnly || state.selection.empty || !isLinkKey(event)) return false
        options.onLink()
        return true
      },
    },
    onUpdate: ({ editor }) => options.onChange(fromEditor(editor.getJSON() as EditorNode)),
    onTransaction: options.onMove,
  })
}

function isLinkKey({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey && !shiftKey
}

export function setBlocks(editor: Editor, blocks: Blocks): void {
  editor.commands.setContent(toEditor(blocks) as JSONContent, { emitUpdate: false })
}

export function toggleListIn(editor: Editor, format: 'ordered' | 'unordered'): void {
  const transaction = toggleList(editor.state, format)
  if (transaction !== null) editor.view.dispatch(transaction)
  editor.view.focus()
}

/**
 * Pasted list items contain only text, and nested lists follow them. A table row becomes a
 * paragraph.
 */
function flatBlocks(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const table of [...body.querySelectorAll('table')].toReversed()) {
    table.replaceWith(...[...table.rows].map(rowOf))
  }
  for (const list of body.querySelectorAll('li > ul, li > ol')) list.parentElement?.after(list)
  for (const block of body.querySelectorAll('li > p, li > div'))
    block.replaceWith(...block.childNodes)
  return body.innerHTML
}

/** Joins the cells with a vertical bar. */
function rowOf(row: HTMLTableRowElement): HTMLParagraphElement {
  const paragraph = document.createElement('p')
  for (const [index, cell] of [...row.cells].entries()) {
    for (const block of cell.querySelectorAll('p, div')) block.replaceWith(...block.childNodes)
    if (index > 0) paragraph.append(' | ')
    paragraph.append(...cell.childNodes)
  }
  return paragraph
}
